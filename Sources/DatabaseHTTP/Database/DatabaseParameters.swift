import API
import Database
import Requests

/// The parameters in the address of a database request.
package struct DatabaseParameters: Sendable {
    private(set) var namespace: String?
    /// The previous session of a WebSocket's client.
    private(set) var previousSession: String?
    /// The intended method of a POST that overrides it.
    private(set) var methodOverride: String?
    private(set) var isPretty = false
    /// Whether only the status is requested.
    private(set) var isSilent = false
    private(set) var isShallow = false
    /// Whether priorities are requested.
    package private(set) var isExport = false
    /// Whether rules are requested without their comments.
    private(set) var isStrict = false
    /// Whether the children are requested in reverse order.
    private(set) var isDescending = false
    /// Whether only the number of children is requested.
    private(set) var isCount = false
    /// The file name under which a browser should store the response.
    private(set) var downloadName: String?
    /// The JavaScript function to call with the response.
    private(set) var callback: String?
    /// The longest time for reading.
    private(set) var timeout: Duration?
    private(set) var writeSizeLimit = WriteSizeLimit.unlimited
    /// The parameters that select and order children, by name.
    private(set) var filters: [String: String] = [:]

    /// Parses the query of an address; unknown names are ignored.
    ///
    /// - Throws: `Failure` with the code `bad_request`.
    init(query: String?) throws(Failure) {
        for field in URLEncodedFields(query) {
            let name = String(field.encodedName)
            guard let value = field.value else {
                throw Failure(.badRequest, "\(name.prefix(80)) is not percent-encoded UTF-8")
            }
            try set(name, value)
        }
        if isShallow, filters["orderBy"] != nil {
            throw Failure(.badRequest, "shallow cannot be mixed with other query parameters")
        }
    }

    private mutating func set(_ name: String, _ value: String) throws(Failure) {
        switch name {
        case "ns": namespace = value
        case "ls": previousSession = value
        case "x-http-method-override": methodOverride = value
        case "print":
            isPretty = value == "pretty"
            isSilent = value == "silent"
        case "shallow": isShallow = value == "true"
        case "format":
            isExport = value == "export"
            isStrict = value == "strict"
        case "descending": isDescending = value == "true"
        case "count": isCount = value == "true"
        case "download": downloadName = value
        case "callback": callback = try Self.functionName(value)
        case "timeout": timeout = try Self.duration(value)
        case "writeSizeLimit": writeSizeLimit = try Self.writeSizeLimit(value)
        case "orderBy", "startAt", "startAfter", "endAt", "endBefore", "equalTo", "limitToFirst", "limitToLast":
            filters[name] = value
        default: break
        }
    }

    /// Checks that a text is a name, or several with dots between; anything else could be a script of its own.
    private static func functionName(_ text: String) throws(Failure) -> String {
        let isName = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            name in
            guard let first = name.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
            return name.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "$") }
        }
        guard isName, text.utf8.count <= 128 else {
            throw Failure(.badRequest, "callback is not the name of a function")
        }
        return text
    }

    private static let maxTimeout = Duration.seconds(15 * 60)

    private static func duration(_ text: String) throws(Failure) -> Duration {
        let units: [(suffix: String, milliseconds: Int64)] = [("min", 60_000), ("ms", 1), ("s", 1000)]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let count = Int64(text.dropLast(unit.suffix.count)), (1...1_000_000).contains(count) else { break }
            return min(.milliseconds(count * unit.milliseconds), maxTimeout)
        }
        throw Failure(.badRequest, "timeout is not a time such as 100ms, 3s or 10min")
    }

    private static func writeSizeLimit(_ text: String) throws(Failure) -> WriteSizeLimit {
        guard let limit = WriteSizeLimit(rawValue: text) else {
            throw Failure(.badRequest, "writeSizeLimit is not tiny, small, medium, large or unlimited")
        }
        return limit
    }
}

extension UInt8 {
    fileprivate var isWordCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }
}
