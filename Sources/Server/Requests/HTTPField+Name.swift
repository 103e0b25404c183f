import HTTPTypes

extension HTTPField.Name {
    /// A name from a constant in the source.
    init(parsed name: StaticString) {
        guard let parsed = HTTPField.Name(name.description) else { preconditionFailure("\(name) is no field name") }
        self = parsed
    }
}
