"""Each layer does something: the probe holds with all of them, and something falls when one is left out."""

from __future__ import annotations

import os

import pytest

from evaluator.contract import to_json
from evaluator.sandbox import Sandbox, SandboxUnavailable, bubblewrap, probe
from evaluator.sandbox.layers import OPTIONAL, Layer, is_active
from tests.evaluator.sandbox.running import LIMITS, output, start

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="leaving out layers one by one is written for root")


@pytest.fixture(autouse=True)
def namespaces(needs) -> None:  # type: ignore[no-untyped-def]
    needs(bubblewrap.find(), "bubblewrap")


def failures(*without: str) -> set[str]:
    table = probe(sandbox=Sandbox(without=frozenset(without)))
    assert not table.error
    assert table.overall == "degraded"
    return {row.name for row in table.failures}


def test_with_all_layers_everything_holds() -> None:
    table = probe("strict")

    assert [row for row in table.rows if row.proven is False] == []
    assert table.overall == "enforcing"
    assert {row.name for row in table.rows} >= {
        "not_root",
        "read_shadow",
        "read_neighbour",
        "see_worker_environment",
        "tcp_connect",
        "unix_connect",
    }


def test_the_table_survives_json_and_names_what_is_lost() -> None:
    data = to_json(probe("best-effort"))

    assert isinstance(data, dict)
    assert data["overall"] == "enforcing"
    rows = data["rows"]
    assert isinstance(rows, list)
    assert all(isinstance(row, dict) and row["consequence"] for row in rows)


def test_switched_off_is_said_so() -> None:
    table = probe("off")

    assert table.overall == "off"
    assert all(row.proven is not True for row in table.rows)


@root_only
@pytest.mark.parametrize(
    ("without", "falls"),
    [
        ({"host_uid"}, {"not_root"}),
        ({"host_uid", "capabilities"}, {"no_capabilities"}),
        ({"pid_namespace"}, {"see_processes"}),
        ({"host_uid", "capabilities", "pid_namespace", "landlock"}, {"see_processes", "see_worker_environment"}),
        ({"host_uid", "mount_namespace", "landlock"}, {"read_shadow", "read_neighbour", "unix_connect", "write_outside", "write_packages"}),
        ({"network_namespace"}, {"layer:network_namespace"}),
        ({"network_namespace", "seccomp", "landlock"}, {"tcp_connect", "abstract_connect"}),
        ({"ipc_namespace"}, {"layer:ipc_namespace"}),
        ({"uts_namespace"}, {"host_name"}),
        ({"seccomp"}, {"internet_socket", "ptrace", "new_namespace", "io_uring"}),
        ({"landlock"}, {"second_layer"}),
        ({"rlimits"}, {"core_limit", "memory_limit", "process_limit"}),
    ],
    ids=lambda value: "+".join(sorted(value)),
)
def test_a_layer_that_is_left_out_is_noticed(without: set[str], falls: set[str]) -> None:
    assert falls <= failures(*without)


@root_only
def test_strict_refuses_when_a_layer_is_missing() -> None:
    with pytest.raises(SandboxUnavailable, match="seccomp"):
        start("pass", Sandbox("strict", without=frozenset({"seccomp"})))


def test_every_layer_is_reported_and_active() -> None:
    with start("pass") as process:
        assert set(process.layers) == {layer.value for layer in Layer}
        assert [name for name, status in process.layers.items() if not is_active(status) and name not in OPTIONAL] == []


def test_the_worker_environment_is_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")

    text = output("import os; print(dict(os.environ))")

    assert "secret" not in text
    assert "DATABASE_URL" not in text


def test_the_linker_cache_and_the_processor_topology_can_be_read() -> None:
    text = output(
        "import os, subprocess\n"
        "print(subprocess.run(['/sbin/ldconfig', '-p'], capture_output=True, text=True).stdout[:200])\n"
        "print('cores', open('/sys/devices/system/cpu/online').read(), os.listdir('/etc/alternatives')[:1])"
    )

    assert "libs found in cache" in text
    assert "cores 0" in text


def test_only_the_needed_part_of_our_tree_is_visible() -> None:
    text = output("import os; print(sorted(os.listdir('/kb/evaluator')), sorted(os.listdir('/kb/evaluator/sandbox')))")

    assert "judge" not in text
    assert "ops" not in text
    assert "['inside']" in text


def test_the_number_of_files_is_bounded() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can bound the inodes of the work directory")
    code = "import os\ntry:\n    for i in range(60_000): os.close(os.open(f'f{i}', os.O_CREAT))\nexcept OSError as e: print(e.strerror, i)"

    assert "No space left on device" in output(code)


def test_device_files_cannot_be_made_and_the_root_is_read_only() -> None:
    paths = ("/x", "/dev/x", "/kb/x", "/usr/x", "/proc/sys/kernel/hostname")
    code = f"for path in {paths}:\n    try: open(path, 'w').write('x'); print('WROTE', path)\n    except OSError as e: print(e.strerror)"

    text = output(code)

    assert "WROTE" not in text


def test_threads_processes_and_pipes_work_as_usual() -> None:
    code = (
        "import concurrent.futures, multiprocessing, subprocess, socket, tempfile\n"
        "with concurrent.futures.ThreadPoolExecutor(4) as pool: assert sum(pool.map(abs, range(10))) == 45\n"
        "assert subprocess.run(['/bin/echo', 'hi'], capture_output=True).stdout == b'hi\\n'\n"
        "socket.socketpair(); tempfile.TemporaryFile().write(b'x'); multiprocessing.Lock()\n"
    )

    output(code, limits=LIMITS)
