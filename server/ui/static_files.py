"""Stylesheets and scripts that browsers cache and revalidate on each use."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope


class Assets(StaticFiles):
    """The files of a folder; for an unchanged one, the response is 304 without the file.

    A file is identified by its content, not by its time and size as in ``StaticFiles``, because
    packages are unpacked with the same time for every version.
    """

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """The file, or 304 if the browser has it already."""
        response = FileResponse(full_path, status_code=status_code, stat_result=stat_result)
        path = Path(full_path)
        response.headers["ETag"] = (
            f'"{_digest(path, stat_result.st_mtime_ns, stat_result.st_size)}"'
        )
        response.headers["Cache-Control"] = (
            "no-cache"  # cache it, but revalidate it before each use
        )
        del response.headers["Last-Modified"]
        if self.is_not_modified(response.headers, Headers(scope=scope)):
            return NotModifiedResponse(response.headers)
        return response


@lru_cache(maxsize=256)
def _digest(path: Path, changed_ns: int, size_bytes: int) -> str:
    """SHA-256 of the content, computed again when the file has changed."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
