"""Makes docs/images/explorer.png: the explorer on the built-in scene, as a laptop shows it.

python scripts/explorer_picture.py [--chromium PATH]
"""

from __future__ import annotations

import argparse
import shutil
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

import ioadr
from ioadr.app.explorer.serving import bound, server
from ioadr.app.explorer.study import Study
from ioadr.evaluation.synthetic import demo

STATE = "pixel=126,44&layer=disparity&trial=0.55&zoom=1.6,60,10&overlay=none"
TOKEN = "picture"
TARGET = Path(__file__).resolve().parents[1] / "docs" / "images" / "explorer.png"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    arguments = parser.parse_args()
    scene = demo()
    study = Study(scene.lightfield, ioadr.estimate(scene.lightfield), scene.truth)
    listening = bound(None)
    port = listening.getsockname()[1]
    running = server(study, port, TOKEN)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        photograph(f"http://127.0.0.1:{port}/?token={TOKEN}#{STATE}", arguments.chromium)
    finally:
        running.should_exit = True
        thread.join()


def photograph(address: str, chromium: str) -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1360, "height": 860})
        page.goto(address)
        page.locator("figure[data-panel=trial] rect.cell").first.wait_for(timeout=60_000)
        page.locator("html[data-told]").wait_for(state="attached", timeout=60_000)
        page.wait_for_timeout(500)
        page.screenshot(path=TARGET, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
