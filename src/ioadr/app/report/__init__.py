"""One offline page for one result."""

from ioadr.app.report.page import report_html, report_writer, write_report

__all__ = ["report_html", "report_writer", "write_report"]
