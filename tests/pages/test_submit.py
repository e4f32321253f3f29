"""The submit form: it hands in, and it says beside each field what is wrong without losing what was written."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluator.contract import MAX_SOURCE_BYTES
from submissions.models import Submission
from tests.pages.cast import SOURCE

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
        ("source", "a\x00b", "Null characters are not allowed"),
        ("source", "#" * (MAX_SOURCE_BYTES + 1), "at most 1,048,576"),
        ("op", "sotfmax", "Did you mean softmax"),
        ("op", "", "This field is required"),
        ("device", [], "This field is required"),
        ("device", ["abacus"], "not one of the available choices"),
        ("kernel_type", "fortran", "not one of the available choices"),
        ("mode", "slowly", "not one of the available choices"),
        ("visibility", "everyone", "not one of the available choices"),
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
