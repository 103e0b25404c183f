import HTTPTypes
import Hummingbird
import Transport

/// A version of "Resumable Uploads for HTTP" while it is no RFC yet: its interop version, by which client and server know each
/// other (`Upload-Draft-Interop-Version`). iOS 17 speaks 3, iOS 18 speaks 6.
struct InteropVersion: Sendable, Equatable {
    /// The versions that are spoken: 3 is draft-01, 4 is -02, 5 is -03, 6 is -04 and -05, 7 is -06 to -08, 8 is what follows.
    private static let known = 3...8

    /// Nil when the client says none, or one that is not spoken; such a client is told nothing before the answer.
    let number: Int?

    static let unknown = InteropVersion(number: nil)

    private init(number: Int?) { self.number = number }

    init(_ request: Request) {
        let number = request.headers[.draftInteropVersion].flatMap(StructuredField.integer)
        self.number = number.flatMap { Self.known.contains($0) ? $0 : nil }
    }

    private var isFirst: Bool { number == 3 }

    /// Whether a request brings the last byte of an upload; nil when it does not say.
    func isComplete(_ request: Request) -> Bool? {
        if let text = request.headers[.uploadComplete] { return StructuredField.boolean(text) }
        return request.headers[.uploadIncomplete].flatMap(StructuredField.boolean).map { !$0 }
    }

    /// How an answer says whether all bytes have come.
    func completeness(_ isComplete: Bool) -> HTTPFields {
        isFirst ? [.uploadIncomplete: isComplete ? "?0" : "?1"] : [.uploadComplete: isComplete ? "?1" : "?0"]
    }

    /// Whether a client hears how many bytes have come, while more are coming.
    var hasProgress: Bool { (number ?? 0) >= 5 }

    /// Whether what goes on with an upload has to have a type of its own.
    var requiresContentType: Bool { (number ?? 8) >= 6 }

    /// The status for bytes that have come and are not the last.
    var appended: HTTPResponse.Status { (number ?? 8) < 6 ? .created : .noContent }

    /// The name of the time for which an upload may be left alone, in `Upload-Limit`.
    var lifetimeName: String { (number ?? 8) < 7 ? "expires" : "max-age" }
}

extension HTTPField.Name {
    static var draftInteropVersion: HTTPField.Name { HTTPField.Name(parsed: "upload-draft-interop-version") }
    static var uploadComplete: HTTPField.Name { HTTPField.Name(parsed: "upload-complete") }
    static var uploadIncomplete: HTTPField.Name { HTTPField.Name(parsed: "upload-incomplete") }
    static var uploadLimit: HTTPField.Name { HTTPField.Name(parsed: "upload-limit") }
    static var acceptPatch: HTTPField.Name { HTTPField.Name(parsed: "accept-patch") }
}
