"""Edit an earlier submission and hand it in again: the form is filled, and the new result shows what changed."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions.models import Submission
from tests.pages.cast import SOURCE, evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.markup import Markup, faults
from tests.pages.outcomes import accepted, wrong_result

EDITED = SOURCE.replace("torch.softmax(x, dim)", "torch.softmax(x, dim=dim)")


def again(client: Client, earlier: Submission, **changed: object) -> Submission:
    sent = {"op": "softmax", "source": EDITED, "device": ["cpu"], "kernel_type": "", "mode": "ranked", "visibility": "public"}
    answer = client.post("/submit/", sent | {"parent": earlier.pk} | changed)
    assert answer.status_code == 302, answer.content.decode()
    return Submission.objects.get(pk=answer.headers["Location"].split("/")[2])


def test_the_form_is_filled_with_all_that_was_handed_in(as_alice: Client, alice: User) -> None:
    terms = {"mode": "benchmark", "policy": "backendbench", "timer": "cpu_bench", "seed": 7}
    earlier = hand_in(alice, visibility="result", agent="a model", filename="fast.py", **terms)

    page = as_alice.get(f"/submit/?from={earlier.pk}").content.decode()

    assert not faults(page)
    for filled in (
        "softmax_kernel_impl(x, dim)",
        '<option value="softmax" selected',
        '<option value="torch" selected',
        '<option value="benchmark" selected',
        '<option value="backendbench" selected',
        '<option value="cpu_bench" selected',
        'name="seed" value="7"',
        'name="agent" value="a model"',
        'name="filename" value="fast.py"',
        f'name="parent" value="{earlier.pk}"',
        f'data-earlier="/s/{earlier.pk}/source/"',
    ):
        assert filled in page, filled
    assert 'value="result" id="id_visibility_1" checked' in page.replace(" required", "")


def test_every_device_of_the_earlier_one_is_ticked(as_alice: Client, alice: User) -> None:
    earlier = hand_in(alice, device=["h100", "t4"])

    page = as_alice.get(f"/submit/?from={earlier.pk}").content.decode()

    ticked = [control["value"] for control in Markup(page).controls if "checked" in control]
    assert sorted(ticked) == ["h100", "public", "t4"]


def test_what_another_author_says_of_themselves_is_not_taken_over(as_bob: Client, alice: User) -> None:
    earlier = hand_in(alice, agent="alice's agent")

    page = as_bob.get(f"/submit/?from={earlier.pk}").content.decode()

    assert "alice's agent" not in page.replace("&#x27;", "'")
    assert "by alice" in page


@pytest.mark.parametrize("visibility", ["result", "private"])
def test_a_source_that_one_may_not_read_cannot_be_edited(as_bob: Client, alice: User, visibility: str) -> None:
    earlier = hand_in(alice, visibility=visibility)

    refused = as_bob.post(
        "/submit/",
        {"op": "softmax", "source": EDITED, "device": ["cpu"], "mode": "ranked", "visibility": "public", "parent": earlier.pk},
    )

    assert as_bob.get(f"/submit/?from={earlier.pk}").status_code == 404
    assert refused.status_code == 422
    assert f"There is no submission &#x27;{earlier.pk}&#x27; whose source you may read." in refused.content.decode()
    assert Submission.objects.count() == 1


@pytest.mark.parametrize("nonsense", ["%00", "../../etc", "abcdefghjkmn", "<script>"])
def test_nonsense_is_not_found(as_alice: Client, nonsense: str) -> None:
    assert as_alice.get(f"/submit/?from={nonsense}").status_code == 404


def test_the_new_result_shows_what_changed(as_alice: Client, alice: User) -> None:
    earlier = hand_in(alice)
    later = again(as_alice, earlier)

    page = as_alice.get(f"/s/{later.pk}/").content.decode()

    assert later.parent == earlier
    assert not faults(page)
    changes = page[page.index('id="changes"') : page.index('id="source-head"')]
    assert f'href="/s/{earlier.pk}/"' in changes
    assert "1 line added, 1 removed" in changes
    removed, added = (re.sub("<[^>]+>", "|", line) for line in re.findall(r'<span class="ln (?:removed|added)">.*', changes))
    assert removed == "||5||||−|    return torch.softmax(x, dim)"
    assert added == "||||5||+|    return torch.softmax(x, dim=dim)"
    assert f'href="/s/{later.pk}/"' in as_alice.get(f"/s/{earlier.pk}/").content.decode()


def test_a_change_is_shown_to_those_who_may_read_both(client: Client, as_alice: Client, alice: User, bob: User) -> None:
    secret = hand_in(alice, visibility="result", source=b"# the trick\n" + SOURCE.encode())
    private = hand_in(alice, visibility="private")
    later, of_private = again(as_alice, secret), again(as_alice, private)

    assert "the trick" in as_alice.get(f"/s/{later.pk}/").content.decode()
    for reader in (client, signed_in(bob)):
        page = reader.get(f"/s/{later.pk}/").content.decode()
        assert "the trick" not in page
        assert "what changed is not shown" in page
        assert private.pk not in reader.get(f"/s/{of_private.pk}/").content.decode()
        assert 'id="changes"' not in reader.get(f"/s/{of_private.pk}/").content.decode()


def test_the_way_here_shows_every_attempt_and_how_it_ended(client: Client, alice: User, bob: User) -> None:
    first = hand_in(alice, source=b"NUMBER = 1\n")
    finish(evaluation_of(first), wrong_result())
    second = hand_in(alice, source=b"NUMBER = 2\n", parent=first.pk)
    finish(evaluation_of(second), accepted(1.1))
    third = hand_in(bob, source=b"NUMBER = 3\n", parent=second.pk)
    finish(evaluation_of(third), accepted(1.4))

    def way(submission: Submission) -> list[str]:
        page = client.get(f"/s/{submission.pk}/").content.decode()
        table = page[page.index('aria-label="Attempts"') :]
        rows = re.findall(r'<th scope="row">.*?</tr>', table[: table.index("</table>")], flags=re.DOTALL)
        return [" ".join(re.sub(r"<[^>]+>", " ", row).split()).removesuffix(" just now") for row in rows]

    assert way(third) == [
        "this one bob cpu Accepted 1.40× ± 1.0 %",
        f"{second.pk} alice cpu Accepted 1.10× ± 1.0 %",
        f"{first.pk} alice cpu Wrong result –",
    ]
    Submission.objects.filter(pk=second.pk).update(visibility="private")
    assert "Attempts" not in client.get(f"/s/{third.pk}/").content.decode()
    Submission.objects.filter(pk=second.pk).update(visibility="public")
    Submission.objects.filter(pk=first.pk).update(visibility="private")
    assert len(way(third)) == 2


def test_a_later_one_that_is_private_is_not_told(client: Client, as_alice: Client, alice: User) -> None:
    earlier = hand_in(alice)
    later = again(as_alice, earlier, visibility="private")

    assert later.pk not in client.get(f"/s/{earlier.pk}/").content.decode()


def test_an_error_keeps_where_it_came_from(as_alice: Client, alice: User) -> None:
    earlier = hand_in(alice)

    page = as_alice.post("/submit/", {"op": "", "source": EDITED, "parent": earlier.pk}).content.decode()

    assert f'name="parent" value="{earlier.pk}"' in page
    assert "Edit and hand in again" in page


def test_the_result_page_links_to_the_editor_for_those_who_may_read(as_bob: Client, alice: User) -> None:
    public, result_only = hand_in(alice), hand_in(alice, visibility="result")
    finish(evaluation_of(public), accepted())

    assert f'href="/submit/?from={public.pk}"' in as_bob.get(f"/s/{public.pk}/").content.decode()
    assert "/submit/?from=" not in as_bob.get(f"/s/{result_only.pk}/").content.decode()


def test_over_rest(as_alice: Client, alice: User, client: Client) -> None:
    earlier = hand_in(alice, visibility="private")
    wish = {"op": "softmax", "source": EDITED, "device": "cpu", "parent": earlier.pk}

    made = as_alice.post("/api/v1/submissions", wish, content_type="application/json")
    refused = as_alice.post("/api/v1/submissions", wish | {"parent": "nothing"}, content_type="application/json")

    assert made.json()["parent"] == earlier.pk
    assert client.get(f"/api/v1/submissions/{made.json()['id']}").json()["parent"] is None
    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == ["parent"]


def test_an_earlier_one_that_is_gone_leaves_the_later_alone(as_alice: Client, alice: User) -> None:
    earlier = hand_in(alice)
    later = again(as_alice, earlier)
    earlier.delete()

    assert as_alice.get(f"/s/{later.pk}/").status_code == 200
