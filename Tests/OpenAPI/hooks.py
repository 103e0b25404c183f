"""What schemathesis does not know by itself."""

import schemathesis

# Bytes of an upload in several requests are sent as they are.
schemathesis.serializer.alias(["application/offset+octet-stream", "application/partial-upload"], "application/octet-stream")
