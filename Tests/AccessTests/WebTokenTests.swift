import Cryptography
import Testing
import TreeModel

@testable import Access

@Suite("JSON Web Tokens")
struct WebTokenTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    @Test("The examples of RFC 7515, appendix A, are valid, and changed ones are not")
    func examples() throws {
        let rsa: JSONValue = [
            "kty": "RSA", "e": "AQAB",
            "n": """
            ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR\
            T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB\
            dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia\
            GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ
            """,
        ]
        let curve: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ]
        let tokens: [(JSONValue, String)] = [
            (
                rsa,
                "eyJhbGciOiJSUzI1NiJ9." + Self.payload + "."
                    + """
                    cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5juj\
                    Gbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe\
                    7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8\
                    np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
                    """
            ),
            (
                curve,
                "eyJhbGciOiJFUzI1NiJ9." + Self.payload + "."
                    + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
            ),
        ]
        for (index, (key, text)) in tokens.enumerated() {
            let key = try WebKey.verificationKey(key)
            let token = try WebToken(text)
            #expect(token.claims["iss"] == "joe")
            #expect(throws: Never.self) { try token.check(signedBy: key) }
            let other = try WebKey.verificationKey(tokens[1 - index].0)
            #expect(throws: AccessError.badToken(.badAlgorithm)) { try token.check(signedBy: other) }
            #expect(!key.isSignature(token.signature, of: token.signedBytes + [0]))
            #expect(!key.isSignature(token.signature.dropLast() + [0], of: token.signedBytes))
        }
    }

    @Test("The HMAC of RFC 7515, appendix A.1, is the same")
    func hmac() throws {
        let text = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        let key = try #require(Base64URL.decode(text.utf8))
        let token = try WebToken(
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(Digest.hmacSHA256(token.signedBytes, key: key) == token.signature)
    }

    /// A token that is refused before a key is used.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let token: String
        let fault: TokenFault

        init(_ name: String, _ token: String, _ fault: TokenFault) {
            (self.name, self.token, self.fault) = (name, token, fault)
        }

        init(_ name: String, header: String, payload: String = "{}", _ fault: TokenFault) {
            self.init(name, Forge.token(header: header, payload: payload), fault)
        }

        var testDescription: String { name }
    }

    static let rows = [
        Row("nothing", "", .malformed),
        Row("a word", "owner", .malformed),
        Row("two parts", "e30.e30", .malformed),
        Row("four parts", "e30.e30.AA.AA", .malformed),
        Row("five parts, which is encryption", "e30.e30.AA.AA.AA", .malformed),
        Row("no header", ".e30.AA", .malformed),
        Row("no claims", "e30..AA", .malformed),
        Row("padding", "e30=.e30.AA", .malformed),
        Row("base64 with a plus", "e30.e30.A+AA", .malformed),
        Row("a line break", "e30\n.e30.AA", .malformed),
        Row("bits that stand for nothing", "e30.e30.AB", .malformed),
        Row("one character too many", "e30.e30.AAAAA", .malformed),
        Row("a letter beyond ASCII", "e30.e30.AAé", .malformed),
        Row("a header that is a list", "W10.e30.AA", .invalidJSON),
        Row("a header that is no JSON", header: "{", .invalidJSON),
        Row("text after the header", header: #"{"alg":"RS256"}{}"#, .invalidJSON),
        Row("two algorithms", header: #"{"alg":"RS256","alg":"none"}"#, .invalidJSON),
        Row("two subjects", header: #"{"alg":"RS256"}"#, payload: #"{"sub":"a","\u0073ub":"b"}"#, .invalidJSON),
        Row("nested a thousand times", header: String(repeating: "[", count: 1000), .invalidJSON),
        Row("no algorithm", header: "{}", .badAlgorithm),
        Row("an algorithm that is no text", header: #"{"alg":["RS256"]}"#, .badAlgorithm),
        Row("a critical header", header: #"{"alg":"RS256","crit":["exp"]}"#, .criticalHeader),
        Row("an empty list of critical headers", header: #"{"alg":"RS256","crit":[]}"#, .criticalHeader),
        Row("an access token", header: #"{"alg":"RS256","typ":"at+jwt"}"#, .badType),
        Row("a type that is no text", header: #"{"alg":"RS256","typ":1}"#, .badType),
        Row("a name of a key that is no text", header: #"{"alg":"RS256","kid":1}"#, .unknownKey),
        Row("16 KiB and a byte", String(repeating: "a", count: (16 << 10) + 1), .tooLong),
    ]

    @Test("A malformed token is refused", arguments: rows)
    func malformed(row: Row) {
        #expect(throws: AccessError.badToken(row.fault)) { try WebToken(row.token) }
    }

    @Test("A token of many members is parsed in linear time")
    func largeToken() throws {
        let list = String(repeating: "1,", count: 5000) + "1"
        let token = Forge.token(header: #"{"alg":"RS256"}"#, payload: #"{"list":[\#(list)]}"#)
        let clock = ContinuousClock()
        let time = try clock.measure { _ = try WebToken(token) }
        #expect(time < .milliseconds(500))
    }
}
