"""The page at `/api/docs/`. Swagger UI writes inline styles, so this one page allows them; scripts stay files of our own."""

from __future__ import annotations

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.utils.decorators import method_decorator
from drf_spectacular.views import SpectacularSwaggerSplitView


@method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}), name="dispatch")
class ApiDocs(SpectacularSwaggerSplitView):
    """Swagger UI over `/api/schema/` (URL name `schema`)."""

    url_name = "schema"
