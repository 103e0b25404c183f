import HTTPTypes
import Hummingbird
import Transport

/// A version of the draft of "Resumable Uploads for HTTP": its interop version, which client and server exchange
/// (`Upload-Draft-Interop-Version`). iOS 17 uses 3, iOS 18 uses 6.
struct InteropVersion: Sendable, Equatable {
    /// The supported versions: 3 is draft-01, 4 is -02, 5 is -03, 6 is -04 and -05, 7 is -06 to -08, 8 is what follows.
    private static let known = 3...8

    /// The version; nil if the client names none, or an unsupported one. Such a client receives no interim responses.
    let number: Int?

    static let unknown = InteropVersion(number: nil)

    private init(number: Int?) { self.number = number }

    init(_ request: Request) {
        let number = request.headers[.draftInteropVersion].flatMap(StructuredField.integer)
        self.number = number.flatMap { Self.known.contains($0) ? $0 : nil }
    }

    private var isFirst: Bool { number == 3 }

    /// Whether a request has the last byte of an upload; nil if it does not specify it.
    func isComplete(_ request: Request) -> Bool? {
        if let text = request.headers[.uploadComplete] { return StructuredField.boolean(text) }
        return request.headers[.uploadIncomplete].flatMap(StructuredField.boolean).map { !$0 }
    }

    /// Returns the header field of a response that reports whether all bytes have arrived.
    func completeness(_ isComplete: Bool) -> HTTPFields {
        isFirst ? [.uploadIncomplete: isComplete ? "?0" : "?1"] : [.uploadComplete: isComplete ? "?1" : "?0"]
    }

    /// Whether a client is notified of received bytes while more are arriving.
    var hasProgress: Bool { (number ?? 0) >= 5 }

    /// Whether a body that continues an upload must have the protocol's content type.
    var requiresContentType: Bool { (number ?? 8) >= 6 }

    /// The status for received bytes that are not the last.
    var appended: HTTPResponse.Status { (number ?? 8) < 6 ? .created : .noContent }

    /// The name of the lifetime of an idle upload, in `Upload-Limit`.
    var lifetimeName: String { (number ?? 8) < 7 ? "expires" : "max-age" }
}

extension HTTPField.Name {
    static var draftInteropVersion: HTTPField.Name { HTTPField.Name(parsed: "upload-draft-interop-version") }
    static var uploadComplete: HTTPField.Name { HTTPField.Name(parsed: "upload-complete") }
    static var uploadIncomplete: HTTPField.Name { HTTPField.Name(parsed: "upload-incomplete") }
    static var uploadLimit: HTTPField.Name { HTTPField.Name(parsed: "upload-limit") }
    static var acceptPatch: HTTPField.Name { HTTPField.Name(parsed: "accept-patch") }
}
