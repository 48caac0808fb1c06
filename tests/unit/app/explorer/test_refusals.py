"""Whom and what the explorer refuses: strangers, other files, questions and orders that make no sense."""

from __future__ import annotations

import http.client
import logging
import socket
import time
from urllib.parse import quote

import pytest

from ioadr.app.explorer.guard import LocalOnly
from tests import explored
from tests.messages import explains
from tests.unit.app.explorer.conftest import GIVEN


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": "127.0.0.1:{port}.evil.example"},
        {"Host": "192.168.0.7:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:{port}@evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_strangers_are_refused(server, headers):
    sent = {name: value.format(port=server.port) for name, value in headers.items()}
    for path, method, body in (("/", "GET", None), ("/api/scene", "GET", None), ("/api/estimate", "POST", {})):
        answer = server.ask(path, method, body, **sent)
        assert answer.status == 403, path
        assert answer.body.startswith(b"ioadr explore: expected")
        assert b"evil" not in answer.body


def test_its_own_page_is_let_in(server):
    for name in ("127.0.0.1", "localhost"):
        host = f"{name}:{server.port}"
        assert server.ask("/", Host=host, Origin=f"http://{host}", Sec_Fetch_Site="same-origin").status == 200


def test_two_hosts_are_no_host():
    guard = LocalOnly(app=None, port=80, token="t")  # type: ignore[arg-type]
    assert guard.refusal([("host", "127.0.0.1")], "t") is None
    assert guard.refusal([("host", "127.0.0.1"), ("host", "evil.example")], "t")
    assert guard.refusal([], "t")


@pytest.mark.parametrize("cookie", ["", "ioadr-{port}=wrong", "ioadr-1=secret", "secret", "a\x07=;;;=b"])
def test_other_users_of_this_machine_are_refused(server, cookie):
    for path, method, body in (("/", "GET", None), ("/api/scene", "GET", None), ("/api/estimate", "POST", {})):
        answer = server.ask(path, method, body, Cookie=cookie.format(port=server.port))
        assert answer.status == 403, path
        assert b"the token is missing or wrong" in answer.body
        assert "set-cookie" not in answer.headers


def test_the_printed_address_lets_in_and_the_page_stays_in(server):
    answer = server.ask(f"/?token={explored.TOKEN}", Cookie="")
    assert answer.status == 200
    kept = answer.headers["set-cookie"]
    assert kept == f"ioadr-{server.port}={explored.TOKEN}; Path=/; HttpOnly; SameSite=Strict"
    assert server.ask("/api/scene", Cookie=kept.partition(";")[0]).status == 200


def test_silent_connections_do_not_keep_others_out(server, monkeypatch):
    """250 of them would use up all simultaneous connections."""
    monkeypatch.setattr("ioadr.app.explorer.server.REQUEST_SECONDS", 1.0)
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(250)]
    try:
        for number, sender in enumerate(silent):
            sender.sendall(b"GET / HTTP/1.1\r\nHost: 127" if number % 2 else b"")
        deadline = time.monotonic() + 20
        while server.ask("/api/scene").status != 200:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        for sender in silent:
            sender.close()


def test_only_this_machine_is_served(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"
    with socket.socket() as other:
        other.settimeout(2)
        found = [info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
        for address in {str(ip) for ip in found if not str(ip).startswith("127.")}:
            assert other.connect_ex((address, server.port)) != 0


@pytest.mark.parametrize(
    "path",
    [
        "/web/../../../../../../etc/passwd",
        "/web/..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/web/%2e%2e/cli.py",
        "/web/%2fetc%2fpasswd",
        "/web/batch.css%00.js",
        "/web/batch.css",
        "/web/../templates/report.html.j2",
        "/web/",
        "/etc/passwd",
        "//etc/passwd",
        "/api/layer/../../../etc/passwd",
    ],
)
def test_no_other_file_can_be_read(server, path):
    answer = server.ask(path)
    assert answer.status in (400, 404)
    assert b"root:" not in answer.body


@pytest.mark.parametrize(
    "query",
    [
        "row=-1&column=0",
        "row=64&column=0",
        "row=1e999&column=0",
        "row=nan&column=0",
        "row=1.5&column=0",
        "row=0x10&column=0",
        "row=&column=0",
        "column=0",
        "row=3&column=99999999999999999999",
        "row=3&column=3&result=../../etc",
        "row=3&column=3&set=search.sweeps:1000000",
        "row=3&column=3&set=planar.half_width:100000",
        "row=3&column=3&set=planar.half_width:nan",
        "row=3&column=3&set=congruence.weight:inf",
        "row=3&column=3&set=__class__:1",
        "row=3&column=3&set=" + "a" * 5000,
        "row=3&column=3&set=" + quote("congruence.weight:<script>"),
    ],
)
def test_bad_questions_are_answered_in_words(server, query):
    answer = server.ask(f"/api/pixel?{query if 'result' in query else query + '&' + GIVEN}")
    assert answer.status == 400
    error = answer.json()["error"]
    assert explains(error), error
    assert len(error) < 600
    assert "Traceback" not in error


@pytest.mark.parametrize(
    "path",
    [
        "/api/view/5/0",
        "/api/view/-1/0",
        "/api/view/a/b",
        "/api/refocus",
        "/api/refocus?disparity=1e9",
        "/api/refocus?disparity=0&thin=0",
        "/api/layer/none",
        "/api/layer/disparity",
    ],
)
def test_bad_addresses_too(server, path):
    answer = server.ask(path)
    assert answer.status == 400
    assert explains(answer.json()["error"])


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{", {}),
        (b"[]", {}),
        (b"[" * 15000, {}),
        (b'{"a": "' + b"x" * 30000 + b'"}', {}),
        (b"{}", {"Content_Type": "text/plain"}),
        ({"preset": "none"}, {}),
        ({"preset": 3}, {}),
        ({"seed": -1}, {}),
        ({"seed": True}, {}),
        ({"changes": []}, {}),
        ({"changes": {"search.sweeps": 5}}, {}),
        ({"changes": {"congruence.weight": "a"}}, {}),
        ({"changes": {"congruence.weight": [1]}}, {}),
        ({"result": "none"}, {}),
    ],
)
def test_bad_orders_start_nothing(server, slow, body, headers):
    answer = server.ask("/api/estimate", "POST", body, **headers)
    assert answer.status == 400
    assert explains(answer.json()["error"])
    assert slow == []


def test_questions_are_no_orders(server):
    assert server.ask("/api/estimate").status == 405
    assert server.ask("/api/pixel", "DELETE").status == 405


def half_asked(server, declared: int) -> socket.socket:
    """An order of which only the first bytes are sent."""
    sender = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    head = f"POST /api/estimate HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    head += f"Cookie: ioadr-{server.port}={explored.TOKEN}\r\n"
    sender.sendall(f"{head}Content-Length: {declared}\r\n\r\n{{".encode())
    return sender


def test_a_sender_that_leaves_is_no_error(server, caplog):
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(caplog.handler)
    try:
        half_asked(server, 100).close()
        assert server.ask("/api/scene").status == 200
    finally:
        logger.removeHandler(caplog.handler)
    assert caplog.records == []


def test_strangers_cannot_fill_the_terminal(server, caplog):
    """A server that prints a warning for each stops when the pipe for them is full."""
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(caplog.handler)
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as stranger:
            stranger.sendall(b"\0garbage\r\n\r\n")
            assert b" 400 " in stranger.recv(4096)
    finally:
        logger.removeHandler(caplog.handler)
    assert caplog.records == []


def test_what_is_declared_to_be_too_large_is_not_waited_for(server):
    with half_asked(server, 10**11) as sender, http.client.HTTPResponse(sender) as answer:
        answer.begin()
        assert answer.status == 400
        assert b"larger than 20000 bytes" in answer.read()


def test_an_internal_error_is_told_and_keeps_its_details(server, monkeypatch, tmp_path):
    def fail(study: object) -> None:
        raise ZeroDivisionError("lens cap on")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("ioadr.app.explorer.answers.scene", fail)
    answer = server.ask("/api/scene")
    assert answer.status == 500
    (details,) = tmp_path.iterdir()
    assert answer.json()["error"].startswith(
        f"internal error (ZeroDivisionError: lens cap on). Details are in {details};"
    )
    assert "Traceback" in details.read_text(encoding="utf-8")


def test_silent_connections_give_way_to_others(server):
    """More of them than are accepted together; honest questions are answered immediately."""
    held = [socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(450)]
    try:
        for _ in range(20):
            assert server.ask("/api/scene").status == 200
    finally:
        for connection in held:
            connection.close()


def test_a_question_is_read_before_its_connection_gives_way(server):
    """The server is busy while one asks and hundreds of silent connections follow."""
    loop = server.server.servers[0].get_loop()
    loop.call_soon_threadsafe(time.sleep, 0.3)
    asking = server.connection()
    asking.request("GET", "/api/scene", headers=server.cookie)
    held = [socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(400)]
    try:
        assert asking.getresponse().status == 200
    finally:
        for connection in (asking, *held):
            connection.close()
