/// A request to the database in the terms of the model.
struct ModelRequest: CustomStringConvertible {
    enum Method: String {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    var method: Method
    var path: ModelPath = []
    /// Whether the request is for the priority of the node.
    var isPriority = false
    /// Text that replaces the path in the address, for an invalid path.
    var badPath: String?
    /// Whether the method is named by a header of a POST.
    var isOverridden = false
    var parameters: [String: String] = [:]
    var headers: [String: String] = [:]
    var body: [UInt8]?

    var isPretty: Bool { parameters["print"] == "pretty" }
    var isSilent: Bool { parameters["print"] == "silent" }
    var isExport: Bool { parameters["format"] == "export" }
    var hasFilters: Bool { !ModelQuery.filters.isDisjoint(with: parameters.keys) }

    /// Whether the answer should have an ETag.
    var wantsETag: Bool {
        !hasFilters && !isPriority
            && !Set(["X-Firebase-ETag", "if-match", "if-none-match"]).isDisjoint(with: headers.keys)
    }

    /// Returns the address of the request, for a tree of this name.
    func target(namespace: String) -> String {
        let keys = path.map { Self.encoded($0.string) } + (isPriority ? [".priority"] : [])
        let path = badPath ?? "/" + keys.joined(separator: "/")
        let parameters = parameters.sorted { $0.key < $1.key }.map { "&\($0.key)=\(Self.encoded($0.value))" }
        return "\(path).json?ns=\(namespace)\(parameters.joined())"
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-_~".contains(character) {
                return String(character)
            }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    var description: String {
        let body = body.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return "\(method.rawValue) \(target(namespace: "n")) \(headers) \(body)"
    }
}

/// The expected answer of the protocol.
struct ModelAnswer {
    enum Body {
        case json(NaiveJSON)
        /// `{"error": …}`, with the beginning of the message.
        case error(String)
        /// `{"name": …}`, a push id.
        case name
        case empty
    }

    var status = 200
    var body: Body
    /// Whether the answer must have the ETag of the value that the path has then.
    var isTagged = false

    init(_ body: Body, status: Int = 200, isTagged: Bool = false) {
        (self.body, self.status, self.isTagged) = (body, status, isTagged)
    }

    init(_ refusal: ModelRefusal) { self.init(.error(refusal.sentence), status: refusal.status) }
}
