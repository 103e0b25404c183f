import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A change of a node that is observed: values at paths below it, all of which changed in one step.
struct TreeChange: Sendable {
    /// The new values, as the tree has them, with the keys of their paths.
    private(set) var values: [(path: ArraySlice<String>, node: JSONValue)]

    /// Creates the change of the node itself.
    init(replacing value: JSONValue) { values = [([], value.node)] }

    /// Creates a change from an event; nil for an event that changes nothing, such as `keep-alive`.
    ///
    /// - Throws: `TransportError` if the event is not in the form of the service.
    init?(_ event: ServerSentEvent) throws(TransportError) {
        guard event.name == "put" || event.name == "patch" else { return nil }
        guard let message = try? JSONDecoder().decode(JSONValue.self, from: Data(event.data.utf8)),
            let path = message["path"]?.string, let data = message["data"]
        else { throw TransportError(.malformed, "an event of the stream has another form") }
        let keys = Self.keys(path)
        if event.name == "put" {
            values = [(keys, data.node)]
        } else if let members = data.object {
            values = members.map { (keys + Self.keys($0.key), $0.value.node) }
        } else {
            throw TransportError(.malformed, "a patch of the stream is not an object")
        }
    }

    private static func keys(_ path: String) -> ArraySlice<String> {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }[...]
    }
}
