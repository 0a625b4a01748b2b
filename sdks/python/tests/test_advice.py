"""Errors that say what to do next: a wrong port, plaintext against TLS, a certificate that is not trusted, a key."""

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass

import grpc
import pytest
import trustme

from millrace import EngineClient, EngineError, MillraceError, ServerTooOldError, UsageError, __version__
from support.grpc_engine import GrpcEngine, Refusing, error_info
from support.scripted_engine import Reply, ScriptedEngine, refusal

NO_SUCH_ROUTE = {"error": "not-found", "message": "there is no such route", "requestId": "r"}


@dataclass(frozen=True)
class Doors:
    """The host and port of servers that speak one thing each."""

    rest: str
    rest_tls: str
    grpc: str
    grpc_tls: str
    nothing: str
    #: The authority that signed the certificate of the two with TLS, in PEM.
    authority: bytes


@pytest.fixture
async def doors(engine: ScriptedEngine) -> AsyncIterator[Doors]:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    speaks_tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate.configure_cert(speaks_tls)
    rest_tls = await asyncio.start_server(_answer, "127.0.0.1", 0, ssl=speaks_tls)
    plain = await GrpcEngine().start()
    secure = grpc.aio.server()
    chain = b"".join(one.bytes() for one in certificate.cert_chain_pems)
    credentials = grpc.ssl_server_credentials([(certificate.private_key_pem.bytes(), chain)])
    secure_port = secure.add_secure_port("127.0.0.1:0", credentials)
    await secure.start()
    closed = await asyncio.start_server(_answer, "127.0.0.1", 0)
    closed_port = closed.sockets[0].getsockname()[1]
    closed.close()
    yield Doors(
        engine.url.removeprefix("http://"),
        f"127.0.0.1:{rest_tls.sockets[0].getsockname()[1]}",
        plain.url.removeprefix("grpc://"),
        f"127.0.0.1:{secure_port}",
        f"127.0.0.1:{closed_port}",
        authority.cert_pem.bytes(),
    )
    rest_tls.close()
    await plain.stop()
    await secure.stop(None)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def failure(url: str, **options) -> MillraceError:
    async with EngineClient(url, max_attempts=1, **options) as client:
        with pytest.raises(MillraceError) as caught:
            await client.get_instance("i")
    return caught.value


@pytest.mark.parametrize(
    ("scheme", "door", "advice"),
    [
        ("http", "nothing", "Is the engine running, and is {port} the REST port (8080 unless told otherwise)?"),
        ("http", "rest_tls", "If it speaks TLS, use https://{at};"),
        ("http", "grpc", "if it speaks gRPC, use grpc://{at}, or the REST port (8080 unless told otherwise)"),
        ("https", "rest", "It does not speak TLS: use http://{at}, if that is the REST port"),
        ("https", "rest_tls", "Its certificate is not trusted: name the authority that signed it with verify="),
        ("grpc", "nothing", "Is the engine running, and is {port} the gRPC port (9090 unless told otherwise)?"),
        ("grpc", "rest", "It speaks REST: use http://{at}, or the gRPC port (9090 unless told otherwise)"),
        ("grpc", "rest_tls", "It does not speak plaintext gRPC: use grpcs://{at} if it speaks TLS"),
        ("grpc", "grpc_tls", "It does not speak plaintext gRPC: use grpcs://{at} if it speaks TLS"),
        ("grpcs", "grpc", "It does not speak TLS: use grpc://{at}, if that is the gRPC port"),
        ("grpcs", "rest", "It does not speak TLS: use grpc://{at}, if that is the gRPC port"),
        ("grpcs", "grpc_tls", "name the authority that signed it with root_certificates="),
    ],
)
async def test_a_connection_that_does_not_come_about_says_what_to_do(doors, scheme, door, advice):
    """C-104: a wrong port or scheme, and a certificate that is not trusted."""
    at = getattr(doors, door)
    error = await failure(f"{scheme}://{at}")
    assert advice.format(at=at, port=at.split(":")[1]) in str(error)


async def test_a_trusted_certificate_at_the_wrong_port_says_which_wire_it_is(doors, tmp_path):
    """C-104: with TLS on both, REST and gRPC are told apart."""
    bundle = tmp_path / "authority.pem"
    bundle.write_bytes(doors.authority)
    over_rest = await failure(f"https://{doors.grpc_tls}", verify=ssl.create_default_context(cafile=str(bundle)))
    assert f"use grpcs://{doors.grpc_tls} if it is the gRPC port" in str(over_rest)
    over_grpc = await failure(f"grpcs://{doors.rest_tls}", root_certificates=doors.authority)
    assert f"use https://{doors.rest_tls} if it is the REST port" in str(over_grpc)


KEYS = [
    (None, 401, "unauthenticated", "Give the client an api_key: `millrace keys create` makes one"),
    ("mill_x", 401, "unauthenticated", "Check the api_key of the client: `millrace keys list`"),
    ("mill_x", 403, "forbidden", "Use a key whose scopes cover this call"),
]


@pytest.mark.parametrize(("key", "status", "code", "advice"), KEYS)
async def test_a_wrong_key_says_what_to_do(engine, key, status, code, advice):
    """C-104: over REST."""
    engine.on("/v1/*", refusal(status, code))
    error = await failure(engine.url, api_key=key)
    assert isinstance(error, EngineError)
    assert (error.code, error.message) == (code, f"because of {code}")
    assert advice in str(error)


@pytest.mark.parametrize(("key", "status", "code", "advice"), KEYS)
async def test_a_wrong_key_says_what_to_do_over_grpc(key, status, code, advice):
    """C-104: over gRPC."""
    engine = await GrpcEngine().start()
    kind = grpc.StatusCode.UNAUTHENTICATED if status == 401 else grpc.StatusCode.PERMISSION_DENIED
    engine.on("GetInstance", Refusing(kind, details=(error_info(code),)))
    assert advice in str(await failure(engine.url, api_key=key))
    await engine.stop()


async def test_an_engine_without_the_route_is_too_old(engine, monkeypatch):
    """C-111: its version is told, and what to do."""
    monkeypatch.setattr("millrace.transport.refusal_advice.__version__", "9.0.0")
    engine.on("/v1/*", Reply(NO_SUCH_ROUTE, 404, {"Millrace-Version": __version__}))
    error = await failure(engine.url)
    assert isinstance(error, ServerTooOldError)
    assert f"is version {__version__} and does not know GET /v1/instances/i: upgrade it to 9.0.0" in str(error)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        (
            Reply(NO_SUCH_ROUTE, 404, {"Millrace-Version": __version__}),
            "the right address, and the engine new enough? An engine has REST on 8080",
        ),
        (Reply(NO_SUCH_ROUTE, 404), "the right address, and the engine new enough? An engine has REST on 8080"),
        (Reply(status=404, text="<html>"), "This is no answer of an engine: is http://"),
    ],
)
async def test_what_is_no_engine_is_asked_about(engine, reply, question):
    """C-104: the port for metrics, or another server."""
    engine.on("/v1/*", reply)
    assert question in str(await failure(engine.url))


async def test_what_is_not_there_is_no_matter_of_versions(engine):
    engine.on("/v1/*", refusal(404, "not-found"))
    assert str(await failure(engine.url)) == "because of not-found (not-found)"


def test_grpc_without_its_package_says_what_to_install(monkeypatch):
    """C-104: gRPC is an extra."""
    for name in [name for name in sys.modules if name.startswith(("grpc", "millrace.transport.grpc_"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(UsageError, match=r"install this SDK with its extra `grpc`.*or add grpcio, protobuf"):
        EngineClient("grpc://127.0.0.1:9090")
