"""The submit form. It only gathers what was sent; `intake` judges it, so that the page and REST give the same errors."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from evaluator.build import available_kernel_types
from evaluator.contract import MAX_SOURCE_BYTES, Mode, Policy, Timer
from submissions.hand_in import MAX_AGENT, MAX_SEED, TOO_LONG
from submissions.intake_errors import IntakeError
from submissions.models import Visibility
from submissions.pages.words import MODES, POLICIES, TIMERS

KERNEL_TYPES = {
    "torch": "torch: plain PyTorch calls",
    "triton": "triton: @triton.jit kernels",
    "torch_cuda": "torch_cuda: load_inline C++/CUDA",
    "cuda": "cuda: a raw .cu file",
    "cpp": "cpp: C++ on the CPU",
    "helion": "helion",
}

TERMS = ("policy", "timer", "seed", "agent")
SPECIAL = (*TERMS, "filename")
"""Fields that few people need."""


class SubmitForm(forms.Form):
    """Choices of devices (slug, words) come from the caller; those of ops stand in the template, and intake knows which there are."""

    op = forms.CharField(label="Op", max_length=200, widget=forms.Select)
    source = forms.CharField(
        label="Source",
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={
                "class": "code",
                "rows": 26,
                "spellcheck": "false",
                "autocapitalize": "off",
                "autocomplete": "off",
            }
        ),
    )
    file = forms.FileField(label="Or a file", required=False)
    device = forms.MultipleChoiceField(label="Device", widget=forms.CheckboxSelectMultiple)
    kernel_type = forms.ChoiceField(label="Kernel type", required=False)
    mode = forms.ChoiceField(
        label="Mode", initial=Mode.RANKED, choices=[(mode.value, f"{title}: {says}") for mode, (title, says) in MODES.items()]
    )
    visibility = forms.ChoiceField(label="Who may see it", initial=Visibility.PUBLIC, choices=Visibility.choices, widget=forms.RadioSelect)
    competition = forms.CharField(label="Competition", required=False, max_length=60, widget=forms.Select)
    policy = forms.ChoiceField(
        label="Tolerance",
        required=False,
        initial=Policy.SCALED,
        choices=[(policy.value, f"{policy}: {says}") for policy, says in POLICIES.items()],
    )
    timer = forms.ChoiceField(
        label="Timer", required=False, initial=Timer.ABBA, choices=[(timer.value, f"{timer}: {says}") for timer, says in TIMERS.items()]
    )
    seed = forms.IntegerField(
        label="Seed",
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "maxlength": len(str(MAX_SEED))}),
    )
    agent = forms.CharField(label="Agent", required=False, strip=False, widget=forms.TextInput(attrs={"maxlength": MAX_AGENT}))
    filename = forms.CharField(
        label="File name",
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "submission.py", "autocomplete": "off", "spellcheck": "false"}),
    )
    parent = forms.CharField(required=False, max_length=12, widget=forms.HiddenInput)

    def __init__(
        self, *args: object, devices: Sequence[tuple[str, str]], competitions: Sequence[tuple[str, str]] = (), **kwargs: object
    ) -> None:
        super().__init__(*args, **kwargs, label_suffix="")  # type: ignore[arg-type, misc]
        self.fields["source"].validators.clear()  # against NUL, which intake names by its place
        device = self.fields["device"]
        assert isinstance(device, forms.MultipleChoiceField)
        device.choices = list(devices)
        choose = self.fields["competition"].widget
        assert isinstance(choose, forms.Select)
        choose.choices = [("", "none"), *competitions]
        kernel_type = self.fields["kernel_type"]
        assert isinstance(kernel_type, forms.ChoiceField)
        known = [str(kind) for kind in available_kernel_types()]
        kernel_type.choices = [("", "detect from the source"), *((kind, KERNEL_TYPES.get(kind, kind)) for kind in known)]

    def source_bytes(self) -> bytes:
        """What was handed in: the file when one was sent, else the text with the line ends that were typed.

        Raises `IntakeError` for a file that is larger than a source may be, instead of reading it.
        """
        uploaded = self.cleaned_data.get("file")
        if isinstance(uploaded, UploadedFile):
            if (uploaded.size or 0) > MAX_SOURCE_BYTES:
                raise IntakeError({"source": [TOO_LONG.format(bytes=f"{uploaded.size:,}", most=f"{MAX_SOURCE_BYTES:,}")]})
            uploaded.seek(0)
            return bytes(uploaded.read())
        return str(self.cleaned_data.get("source") or "").replace("\r\n", "\n").encode()

    def filename_sent(self) -> str:
        """The name that was typed, else that of the file."""
        uploaded = self.cleaned_data.get("file")
        given = str(self.cleaned_data.get("filename") or "")
        return given or (uploaded.name or "" if isinstance(uploaded, UploadedFile) else "")

    def keep_file(self) -> None:
        """For showing the form again: a browser does not send a chosen file back, so its text becomes the source, unless one was typed."""
        uploaded = self.files.get("file")
        if not isinstance(uploaded, UploadedFile) or str(self.data.get("source") or "").strip() or (uploaded.size or 0) > MAX_SOURCE_BYTES:
            return
        uploaded.seek(0)
        try:
            text = uploaded.read().decode()
        except UnicodeDecodeError:
            return
        assert isinstance(self.data, QueryDict)
        data = self.data.copy()
        data["source"] = text
        data["filename"] = str(data.get("filename") or uploaded.name or "")
        self.data = data

    @property
    def has_special_terms(self) -> bool:
        """Whether one of the fields that stand folded away is wrong, or other than it begins."""
        changed = any(str(self[name].value() or self.fields[name].initial or "") != str(self.fields[name].initial or "") for name in TERMS)
        return changed or any(self[name].errors for name in SPECIAL)
