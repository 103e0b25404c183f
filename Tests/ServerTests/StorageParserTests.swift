import Access
import TestSupport
import Testing
import TreeModel

@Suite("The parsers of the bucket's requests, under any bytes", .timeLimit(.minutes(20)))
struct StorageParserTests {
    /// Words that the parsers recognize.
    private static let bodies = [
        "--b", "\r\n", "--b--", "\r", "\n", "-", "{}", "Content-Type: image/jpeg", ":", "x", "\r\n\r\n", "\r\n--b\r\n",
        " ", "\u{0}", "é", "content-type:",
    ]
    private static let addresses = [
        "/v0/b/", "bucket", "/o", "/", "%2F", "%", "%C3%A9", "%FF", "a", "..", "?", "http://h", "/o/", "name=", "&",
        "+",
        "prefix=", "upload_id=-OeVWmdPvLGxNyEv6bTq.s",
    ]
    private static let steps = [
        "POST\n", "PUT\n", "DELETE\n", "X-Goog-Upload-Command: ", "upload", ", ", "finalize", "query", "cancel", "\n",
        "X-Goog-Upload-Offset: ", "Content-Range: ", "bytes ", "bytes=", "0", "1", "-", "/", "*", "+",
        "9223372036854775807",
        "multipart/related; boundary=", "\"", "\\",
    ]

    @Test("S16: Accepted input is within its limits and can be written again, and a body may be cut anywhere")
    func words() async throws {
        let run = RandomRun(rounds: 6000)
        var random = SeededGenerator(seed: run.seed)
        let beginnings = ["", "--b\r\n", "--b\r\n\r\n{}\r\n--b\r\n", "/v0/b/x/o/", "http://h/v0/b/x/o/"]
        for _ in 0..<run.rounds {
            let words = random.pick([Self.bodies, Self.addresses, Self.steps])
            var bytes = Array(random.pick(beginnings).utf8)
            for _ in 0..<random.below(30) { bytes += random.pick(words).utf8 }
            if random.chance(50) { bytes += "\r\n--b--".utf8 }
            if random.chance(20), !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            await Self.check(bytes, "seed \(run.seed)")
        }
    }

    @Test("Metadata is refused or within its limits, and the description of an object may be sent back")
    func metadata() async throws {
        let run = RandomRun(rounds: 3000)
        var random = SeededGenerator(seed: run.seed)
        let names = ["contentType", "cacheControl", "metadata", "name", "x", "contentDisposition", "é", ""]
        func value(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
            switch random.below(depth > 0 ? 8 : 6) {
            case 0: return .null
            case 1: return .integer(random.below(10))
            case 2: return .bool(true)
            case 3:
                return .string(String(repeating: random.pick(["a", "é", "\r\n", "\u{0}"]), count: random.below(2000)))
            case 4, 5: return .string("text/plain")
            default:
                let members = (0..<random.below(5)).map { _ in (random.pick(names), value(depth - 1, &random)) }
                return .object(Dictionary(members) { $1 })
            }
        }
        for _ in 0..<run.rounds { await Self.check(value(2, &random).text, "seed \(run.seed)") }
    }

    /// The lengths at which a limit takes effect, also where only the end of a piece has arrived.
    @Test(
        "A line or a header block at its limit is accepted, a longer one refused, wherever the body is cut",
        arguments: [255, 256, 257, 258, 8185, 8188, 8189, 8190, 8191, 8192, 8193, 8194])
    func limits(count: Int) async {
        let padding = "--b" + String(repeating: " ", count: count) + "\r\n\r\n{}\r\n--b\r\n\r\nx\r\n--b--"
        let header = "--b\r\nx:" + String(repeating: "y", count: count) + "\r\n\r\n{}\r\n--b\r\n\r\nx\r\n--b--"
        for body in [padding, header] { await Self.check(Array(body.utf8), "\(count)") }
    }

    @Test(
        "The description of an object may be sent back, whatever its name",
        arguments: ["a", "é", "\u{1F600}"])
    func longNames(letter: String) async {
        let name = String(repeating: letter, count: 1024 / letter.utf8.count)
        await Self.check(JSONValue.object(["name": .string(name)]).text, letter)
    }

    /// The combining marks, each of which is one character with the slash before it in a `String`.
    @Test(
        "A name is found by its URI and its address, also when it begins with a combining mark",
        arguments: ["\u{301}", "\u{7EB}a", "a/\u{301}", "?\u{301}#\u{301}", "\u{200D}"])
    func marks(name: String) async {
        await Self.check(Array(name.utf8), name)
        await Self.check(Array("http://h/v0/b/x/o/\(name)".utf8), name)
    }

    @Test(
        "Numbers consist of digits",
        arguments: [
            "PUT\nContent-Range: bytes +0-5/6", "PUT\nContent-Range: bytes 0-+5/6", "PUT\nContent-Range: bytes 0-5/+6",
            "POST\nX-Goog-Upload-Command: upload\nX-Goog-Upload-Offset: +5",
            "POST\nX-Goog-Upload-Command: upload\nX-Goog-Upload-Offset: -0",
        ])
    func signs(head: String) async {
        await Self.check(Array(head.utf8), head)
    }

    private static func check(_ bytes: [UInt8], _ what: String) async {
        do {
            try await StorageChecks.check(bytes)
        } catch {
            Issue.record("\(error); \(what): \(bytes)")
        }
    }
}
