import API
import HTTPTypes
import Hummingbird
import Pipeline
import Tree

/// `/.settings/rules.json`: the rules document of a tree, as its owner wrote it.
struct DatabaseRules: Sendable {
    static let path = "/.settings/rules.json"

    /// The longest document, in bytes.
    private static let maxBytes = 1 << 20
    /// What is told where nobody has written rules.
    private static let none = "{\"rules\":{}}"

    private let tree: TreeStore

    init(_ tree: TreeStore) {
        self.tree = tree
    }

    func answer(_ request: Request, _ parameters: DatabaseParameters, of namespace: Namespace) async throws -> Response
    {
        switch request.method {
        case .get, .head:
            // Text with comments is not JSON; who wants JSON says so.
            let text =
                parameters.isStrict
                ? try await tree.rulesJSON(of: namespace).map { String(decoding: $0, as: UTF8.self) }
                : try await tree.rules(of: namespace)
            return .database(text ?? Self.none)
        case .put:
            let body = try await request.body.collect(upTo: Self.maxBytes)
            guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
                throw Failure(.badRequest, "1:1: the rules are not UTF-8")
            }
            try await tree.setRules(text, of: namespace)
            return .database("{\"status\":\"ok\"}")
        default:
            throw Failure(.methodNotAllowed, "\(request.method.rawValue) is not possible here")
        }
    }
}
