"""The submit form: it hands in, and it says beside each field what is wrong without losing what was written."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluator.contract import MAX_SOURCE_BYTES
from submissions.models import Submission
from tests.pages.cast import SOURCE, hand_in
from tests.pages.markup import Markup, faults

STATIC = Path(__file__).parent.parent.parent / "static"
GOOD = {"op": "softmax", "source": SOURCE, "device": ["cpu"], "kernel_type": "", "mode": "ranked", "visibility": "public"}


def test_handing_in_leads_to_the_live_page(as_alice: Client) -> None:
    answer = as_alice.post("/submit/", GOOD)

    submission = Submission.objects.get()
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"/s/{submission.pk}/"
    assert submission.kernel_type == "torch"


def test_line_ends_of_a_browser_are_those_that_were_typed(as_alice: Client) -> None:
    as_alice.post("/submit/", GOOD | {"source": SOURCE.replace("\n", "\r\n")})

    assert Submission.objects.get().source == SOURCE


def test_a_file_goes_before_the_text(as_alice: Client) -> None:
    sent = SimpleUploadedFile("fast.py", (SOURCE + "# from the file\n").encode())

    as_alice.post("/submit/", GOOD | {"file": sent})

    submission = Submission.objects.get()
    assert submission.source.endswith("# from the file\n")
    assert submission.filename == "fast.py"


def test_several_devices_give_several_evaluations(as_alice: Client) -> None:
    as_alice.post("/submit/", GOOD | {"device": ["cpu", "h100"]})

    assert sorted(Submission.objects.get().evaluations.values_list("device", flat=True)) == ["cpu", "h100"]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("source", " \n", "The source is empty"),
        ("source", "a\x00b", "NUL byte at offset 1"),
        ("source", "#" * (MAX_SOURCE_BYTES + 1), "at most 1,048,576"),
        ("op", "sotfmax", "Did you mean softmax"),
        ("op", "", "This field is required"),
        ("device", [], "This field is required"),
        ("device", ["abacus"], "not one of the available choices"),
        ("kernel_type", "fortran", "not one of the available choices"),
        ("mode", "slowly", "not one of the available choices"),
        ("visibility", "everyone", "not one of the available choices"),
        ("policy", "lenient", "not one of the available choices"),
        ("policy", "backendbench", "cannot be ranked"),
        ("timer", "cpu_bench", "cannot be ranked"),
        ("seed", "seven", "Enter a whole number"),
        ("seed", "-1", "from 0 to 2^63 - 1"),
        ("seed", "7", "draws a secret seed"),
        ("agent", "a" * 81, "at most 80"),
        ("filename", "../../etc/passwd", "no folders"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(as_alice: Client, field: str, value: object, said: str) -> None:
    answer = as_alice.post("/submit/", GOOD | {field: value})
    page = answer.content.decode()

    assert answer.status_code == 422
    (error,) = (part.partition("</div>")[0] for part in page.split(f'class="error" id="id_{field}_error">')[1:])
    assert said in error
    assert not Submission.objects.exists()
    if field != "source":
        assert "softmax_kernel_impl(x, dim)" in page


def test_a_file_that_is_not_text_is_refused(as_alice: Client) -> None:
    answer = as_alice.post("/submit/", GOOD | {"file": SimpleUploadedFile("k.py", b"\xff\xfe binary")})

    assert answer.status_code == 422
    assert "not UTF-8" in answer.content.decode()


def test_a_visitor_keeps_what_was_written(client: Client) -> None:
    answer = client.post("/submit/", GOOD)

    assert answer.status_code == 403
    assert "Sign in first" in answer.content.decode()
    assert "softmax_kernel_impl(x, dim)" in answer.content.decode()


def test_links_fill_the_form_without_scripts(client: Client) -> None:
    page = client.get("/submit/?op=softmax&starter=triton&device=h100").content.decode()

    assert "tl.store" in page
    assert '<option value="softmax" selected' in page
    assert 'value="h100" id="id_device_' in page


def test_nonsense_in_the_link_is_ignored(client: Client) -> None:
    assert client.get("/submit/?op=%00&starter=../../etc&device=<script>").status_code == 200


def test_special_terms_are_taken(as_alice: Client) -> None:
    as_alice.post("/submit/", GOOD | {"mode": "benchmark", "policy": "backendbench", "timer": "cpu_bench", "seed": "7", "agent": "a model"})

    submission = Submission.objects.get()
    run = submission.evaluations.get()
    assert (run.mode, run.policy, run.timer, run.seed) == ("benchmark", "backendbench", "cpu_bench", 7)
    assert submission.agent == "a model"


def test_what_was_chosen_stands_again_after_an_error(as_alice: Client) -> None:
    sent = GOOD | {"device": ["cpu", "l4"], "mode": "test", "visibility": "private", "policy": "backendbench", "seed": "-1", "agent": "me"}

    page = as_alice.post("/submit/", sent).content.decode()

    assert not faults(page)
    for kept in ('value="test" selected', 'value="backendbench" selected', 'value="-1"', 'value="me"', "softmax_kernel_impl(x, dim)"):
        assert kept in page, kept
    assert [control["value"] for control in Markup(page).controls if "checked" in control] == ["cpu", "l4", "private"]
    assert '<details class="special" open>' in page
    assert 'Nothing was handed in yet. <a href="#id_seed_error">Seed</a></p>' in page
    assert "data-kept" in page


def test_special_terms_are_folded_away_until_they_matter(client: Client) -> None:
    assert '<details class="special">' in client.get("/submit/").content.decode()


def test_a_refused_files_text_is_kept(as_alice: Client) -> None:
    page = as_alice.post("/submit/", GOOD | {"source": "", "op": "sotfmax", "file": SimpleUploadedFile("fast.py", SOURCE.encode())})

    assert "softmax_kernel_impl(x, dim)" in page.content.decode()
    assert 'name="filename" value="fast.py"' in page.content.decode()


def test_a_refused_file_does_not_replace_what_was_typed(as_alice: Client) -> None:
    sent = SimpleUploadedFile("fast.py", b"# of the file\n")

    page = as_alice.post("/submit/", GOOD | {"op": "sotfmax", "file": sent}).content.decode()

    assert "softmax_kernel_impl(x, dim)" in page
    assert "of the file" not in page


def test_a_typed_name_goes_before_that_of_the_file(as_alice: Client) -> None:
    as_alice.post("/submit/", GOOD | {"file": SimpleUploadedFile("fast (1).py", SOURCE.encode()), "filename": "fast.py"})

    assert Submission.objects.get().filename == "fast.py"


def test_what_is_left_is_told_before_and_after(as_alice: Client, alice: User, settings: LazySettings) -> None:
    settings.KB_OPEN_EVALUATIONS, settings.KB_SUBMISSIONS_PER_HOUR = 3, 2

    before = as_alice.get("/submit/").content.decode()
    after = as_alice.post("/submit/", GOOD | {"device": ["cpu", "h100"]}, follow=True).content.decode()
    refused = as_alice.post("/submit/", GOOD | {"device": ["cpu", "h100"]})

    assert "Left: 2 of 2 hand-ins this hour; 3 of 3 open evaluations, one a device." in before
    assert "You can have 1 more evaluations open, and hand in 1 more this hour." in after
    assert refused.status_code == 422
    assert "You have 2 evaluations that are not done; 3 may be open at once." in refused.content.decode()


def test_the_part_about_an_op_comes_alone(client: Client) -> None:
    answer = client.get("/submit/?op=softmax", headers={"HX-Request": "true"})
    page = Markup(answer.content.decode())

    assert "<html" not in answer.content.decode()
    assert "HX-Request" in answer.headers["Vary"]
    assert "softmax_kernel_impl" in answer.content.decode()
    assert "/ops/softmax/" in page.links
    assert not page.wrong


def test_the_editors_styles_need_the_nonce_of_the_page(client: Client) -> None:
    first, second = client.get("/submit/"), client.get("/submit/")
    policies = [answer.headers["Content-Security-Policy"] for answer in (first, second)]
    nonces = [next(part for part in policy.split() if part.startswith("'nonce-")).strip("';")[6:] for policy in policies]

    assert f'nonce="{nonces[0]}"' in first.content.decode()
    assert nonces[0] != nonces[1]
    assert all("unsafe" not in policy and "script-src 'self';" in f"{policy};" for policy in policies)
    assert "nonce-" not in client.get("/").headers["Content-Security-Policy"]


def test_a_sign_in_elsewhere_loses_nothing(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.get("/submit/")
    outdated = client.cookies["csrftoken"].value
    client.force_login(alice)
    client.cookies["csrftoken"] = "x" * 32

    answer = client.post("/submit/", GOOD | {"csrfmiddlewaretoken": outdated, "agent": "mine"})
    page = answer.content.decode()
    token = page.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]

    assert answer.status_code == 403
    assert not Submission.objects.exists()
    assert "Nothing is lost" in page
    assert "softmax_kernel_impl(x, dim)" in page
    assert 'value="mine"' in page
    assert client.post("/submit/", GOOD | {"csrfmiddlewaretoken": token}).status_code == 302


def test_other_forms_with_a_wrong_secret_are_refused(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)

    assert client.post(f"/evaluations/{hand_in(alice).evaluations.get().pk}/cancel/").status_code == 403


def test_scripts_are_small_and_the_editor_is_on_this_page_alone(client: Client, alice: User) -> None:
    pages = {path: client.get(path).content.decode() for path in ("/submit/", "/", "/ops/softmax/", f"/s/{hand_in(alice).pk}/")}
    waiting = re.findall(r'<script[^>]* src="/static/([^"]+)"', pages["/submit/"])
    sizes: dict[str, int] = {}
    while waiting:
        script = STATIC / waiting.pop()
        if script.name not in sizes:
            sizes[script.name] = len(gzip.compress(script.read_bytes()))
            imported = re.findall(r'^import .* from "\./([^"]+)";', script.read_text(), re.MULTILINE)
            waiting += [str(script.parent.relative_to(STATIC) / name) for name in imported]

    assert {"submit.js", "editor.js", "editor-look.js", "hand-in-rules.js", "starters.js", "hints.js", "changed-lines.js"} < set(sizes)
    assert sum(sizes.values()) < 15_000
    assert [path for path, page in pages.items() if "codemirror.js" in page] == ["/submit/"]
