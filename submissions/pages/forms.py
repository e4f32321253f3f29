"""The submit form. It only gathers what was sent; `intake` judges it, so that the page and REST give the same errors."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.core.files.uploadedfile import UploadedFile

from evaluator.build import available_kernel_types
from evaluator.contract import MAX_SOURCE_BYTES, Mode
from submissions.models import Visibility
from submissions.pages.words import MODES

KERNEL_TYPES = {
    "torch": "torch: plain PyTorch calls",
    "triton": "triton: @triton.jit kernels",
    "torch_cuda": "torch_cuda: load_inline C++/CUDA",
    "cuda": "cuda: a raw .cu file",
    "cpp": "cpp: C++ on the CPU",
    "helion": "helion",
}


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
                "data-max-bytes": MAX_SOURCE_BYTES,
            }
        ),
    )
    file = forms.FileField(label="Or a file", required=False)
    filename = forms.CharField(required=False, max_length=120, widget=forms.HiddenInput)
    device = forms.MultipleChoiceField(label="Device", widget=forms.CheckboxSelectMultiple)
    kernel_type = forms.ChoiceField(label="Kernel type", required=False)
    mode = forms.ChoiceField(
        label="Mode", initial=Mode.RANKED, choices=[(mode.value, f"{title}: {says}") for mode, (title, says) in MODES.items()]
    )
    visibility = forms.ChoiceField(label="Who may see it", initial=Visibility.PUBLIC, choices=Visibility.choices, widget=forms.RadioSelect)

    def __init__(self, *args: object, devices: Sequence[tuple[str, str]], **kwargs: object) -> None:
        super().__init__(*args, **kwargs, label_suffix="")  # type: ignore[arg-type, misc]
        device = self.fields["device"]
        assert isinstance(device, forms.MultipleChoiceField)
        device.choices = list(devices)
        kernel_type = self.fields["kernel_type"]
        assert isinstance(kernel_type, forms.ChoiceField)
        known = [str(kind) for kind in available_kernel_types()]
        kernel_type.choices = [("", "detect from the source"), *((kind, KERNEL_TYPES.get(kind, kind)) for kind in known)]

    def source_bytes(self) -> bytes:
        """What was handed in: the file when one was sent, else the text with the line ends that were typed."""
        uploaded = self.cleaned_data.get("file")
        if isinstance(uploaded, UploadedFile):
            uploaded.seek(0)
            return bytes(uploaded.read())
        return str(self.cleaned_data.get("source") or "").replace("\r\n", "\n").encode()

    def filename_sent(self) -> str:
        uploaded = self.cleaned_data.get("file")
        if isinstance(uploaded, UploadedFile):
            return uploaded.name or ""
        return str(self.cleaned_data.get("filename") or "")
