import Testing

@testable import Accounts

/// The syntax of e-mail addresses.
@Suite struct EmailAddressTests {
    static let good: [(text: String, address: String)] = [
        ("a@b.de", "a@b.de"), ("  Ann.Lee+x@Example.COM ", "ann.lee+x@example.com"),
        ("root@localhost", "root@localhost"),
        ("a@xn--mnchen-3ya.de", "a@xn--mnchen-3ya.de"),
        ("o'neil_{}!#$%&*/=?^`|~-@a-b.c", "o'neil_{}!#$%&*/=?^`|~-@a-b.c"),
        (String(repeating: "a", count: 64) + "@b.de", String(repeating: "a", count: 64) + "@b.de"),
    ]

    @Test("An address is stored without space around it and in lower case", arguments: good)
    func accepted(text: String, address: String) {
        #expect(EmailAddress(text)?.description == address)
    }

    static let bad = [
        "", " ", "@", "a", "a@", "@b", "a@b@c", "a b@c.de", "a@b..de", "a@.de", "a@de.", "ä@b.de", "a@bücher.de",
        "a\n@b.de", "a@b.de\0", "\"a\"@b.de", "a<b>@c.de", "a,b@c.de", "a@b_c.de", "a@[127.0.0.1]",
        String(repeating: "a", count: 65) + "@b.de", "a@" + String(repeating: "b.", count: 130) + "de",
        "a@" + String(repeating: "b", count: 64) + ".de", String(repeating: " ", count: 2000) + "a@b.de",
    ]

    @Test("An invalid address is refused", arguments: bad)
    func refused(text: String) {
        #expect(EmailAddress(text) == nil)
    }
}
