import Accounts
import CoreMetrics
import Metering

/// The metrics of the identity endpoints: what they refuse, whose status alone does not show a guessed password.
struct IdentityMetrics: Sendable {
    /// The longest code that becomes a label.
    private static let maxCharacters = 60

    private struct Refusal: MetricLabels {
        let code: String

        var pairs: [(String, String)] { [("code", code)] }
    }

    /// The codes whose series exist from the start, so that a rate sees the first refusal.
    private static let expected = [
        "INVALID_LOGIN_CREDENTIALS", "INVALID_PASSWORD", "EMAIL_NOT_FOUND", "TOO_MANY_ATTEMPTS_TRY_LATER",
        "USER_DISABLED",
    ]

    private let refusals: MetricFamily<Refusal, Counter>

    init(_ factory: any MetricsFactory) {
        refusals = factory.counters(
            "tintype_account_refusals_total", "Requests that the identity endpoints refused, by the code of the error.",
            by: Refusal.self)
        for code in Self.expected { _ = refusals[Refusal(code: code)] }
    }

    /// Counts a refusal. Codes are words of this service, in capital letters.
    func count(_ error: IdentityError) {
        let code = error.code
        let isWord = code.utf8.count <= Self.maxCharacters && code.utf8.allSatisfy(Self.mayBeInCode)
        refusals[Refusal(code: isWord ? code : "other")].increment()
    }

    private static func mayBeInCode(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
    }
}
