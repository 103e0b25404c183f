"""Additions to schemathesis."""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Removes the tokens that are required of others: clients of the Unix socket are admins without one."""
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            operation["security"] = []


# Bytes of resumable uploads are sent unchanged.
schemathesis.serializer.alias(["application/offset+octet-stream", "application/partial-upload"], "application/octet-stream")
