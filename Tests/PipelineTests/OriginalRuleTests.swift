import Testing
import Uploads

@Suite("Rules for originals")
struct OriginalRuleTests {
    @Test(
        "A valid rule is parsed, and other texts are refused",
        arguments: [
            ("drop,365d", OriginalRule(.drop, days: 365)), ("drop,0d", OriginalRule(.drop, days: 0)),
            ("re-encode,q80,90d", OriginalRule(.reencode(quality: 80), days: 90)),
            ("drop", nil), ("drop,90", nil), ("drop,-1d", nil), ("drop,q80,90d", nil), ("re-encode,90d", nil),
            ("re-encode,q0,90d", nil), ("re-encode,q101,90d", nil), ("keep", nil), ("", nil), ("drop,365d,", nil),
        ] as [(String, OriginalRule?)])
    func rules(text: String, rule: OriginalRule?) {
        #expect(OriginalRule(text) == rule)
        if let rule { #expect(rule.description == text) }
    }
}
