"""Servers for the benchmarks: nginx with a fixed reply, which costs next to nothing, on loopback only."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

REPLY = json.dumps(
    {
        "id": "fixed",
        "object": "chat.completion",
        "model": "fixed-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": '{"reasoning": "It is well known.", "answer": "Paris"}'},
            }
        ],
        "usage": {"prompt_tokens": 120, "completion_tokens": 16, "total_tokens": 136},
    }
)

CONFIG = """
worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error.log crit;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 10000000; keepalive_timeout 600s; client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi; client_body_buffer_size 64k; default_type application/json;
  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ return 200 '{reply}'; }} }}
}}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def nginx() -> Iterator[str]:
    """The base URL of an nginx that answers every request with the same reply."""
    if shutil.which("nginx") is None:
        raise SystemExit("this benchmark needs nginx: apt-get install nginx-light")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "nginx.conf"
        config.write_text(
            CONFIG.format(folder=folder, port=port, reply=REPLY.replace("\\", "\\\\").replace("'", "\\'"))
        )
        server = subprocess.Popen(["nginx", "-c", str(config), "-p", folder, "-e", f"{folder}/error.log"])
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait(10)


@contextlib.contextmanager
def simulator(moot: str, config: str) -> Iterator[str]:
    """`moot simulate` in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "simulate.yaml"
        path.write_text(config)
        port = free_port()
        server = subprocess.Popen(
            [moot, "simulate", "--port", str(port), "--config", str(path)], stdout=subprocess.DEVNULL
        )
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait(10)


def _wait_for(port: int) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")
