import Testing

@testable import Imaging

/// Bytes that are refused, and the expected refusal.
struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let code: ImageError.Code
    /// The parts of texts that the message must contain.
    let message: String
    let hint: String

    /// Expects a body to refuse the bytes.
    func check(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(ImageError) -> Void) {
        let error = #expect(throws: ImageError.self, sourceLocation: sourceLocation) { try body() }
        #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: sourceLocation)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
        #expect(error?.hint.contains(hint) == true, "\(error?.hint ?? "")", sourceLocation: sourceLocation)
    }
}
