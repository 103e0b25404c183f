"""Additions to schemathesis."""

import schemathesis

# Bytes of resumable uploads are sent unchanged.
schemathesis.serializer.alias(["application/offset+octet-stream", "application/partial-upload"], "application/octet-stream")
