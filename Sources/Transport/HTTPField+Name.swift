package import HTTPTypes

extension HTTPField.Name {
    /// Creates a name from a constant in the source.
    package init(parsed name: StaticString) {
        guard let parsed = HTTPField.Name(name.description) else { preconditionFailure("\(name) is not a field name") }
        self = parsed
    }
}

extension HTTPField.Name {
    package static var requestPrivateNetwork: HTTPField.Name {
        HTTPField.Name(parsed: "access-control-request-private-network")
    }
    package static var allowPrivateNetwork: HTTPField.Name {
        HTTPField.Name(parsed: "access-control-allow-private-network")
    }
    /// The key by which a repeated request is recognised.
    package static let idempotencyKey: HTTPField.Name = HTTPField.Name(parsed: "Idempotency-Key")
    /// The intended method, for networks that let only some methods pass.
    package static let methodOverride: HTTPField.Name = HTTPField.Name(parsed: "X-HTTP-Method-Override")
}

extension HTTPField.Name {
    package static var uploadOffset: HTTPField.Name { HTTPField.Name(parsed: "upload-offset") }
    package static var uploadLength: HTTPField.Name { HTTPField.Name(parsed: "upload-length") }
}
