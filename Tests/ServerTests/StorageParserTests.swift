import API
import Access
import NIOCore
import TestSupport
import Testing
import TreeModel

@testable import Pipeline
@testable import Server

@Suite("What uploads to the bucket are read by, under any bytes", .timeLimit(.minutes(30)))
struct StorageParserTests {
    /// What a body is read as: the parts, or the refusal.
    private enum Reading: Equatable {
        case parts([[UInt8]], types: [String?], isWhole: Bool)
        case refused(ErrorCode)
    }

    private static func read(_ body: [UInt8], in pieces: [Int]) -> Reading {
        var (parts, types, isWhole): ([[UInt8]], [String?], Bool) = ([], [], false)
        do throws(Failure) {
            var parser = try MultipartParser(contentType: "multipart/related; boundary=b", kind: .related)
            var rest = body[...]
            for count in pieces + [body.count] {
                parser.feed(ByteBuffer(bytes: rest.prefix(count)))
                rest = rest.dropFirst(count)
                while let event = try parser.next() {
                    switch event {
                    case .partBegan(let headers):
                        types.append(headers.contentType)
                        parts.append([])
                    case .partBytes(let bytes): parts[parts.count - 1] += bytes.readableBytesView
                    case .partEnded: break
                    case .finished: isWhole = true
                    }
                }
            }
        } catch {
            return .refused(error.code)
        }
        return .parts(parts, types: types, isWhole: isWhole)
    }

    @Test("A body is read as the same, in whatever pieces it comes, and ends or is refused")
    func pieces() {
        let run = RandomRun(rounds: 3000)
        var random = SeededGenerator(seed: run.seed)
        let words = [
            "--b", "\r\n", "--b--", "\r", "\n", "-", "{}", "Content-Type: image/jpeg", ":", "x", "\r\n\r\n",
            "\r\n--b\r\n", " ",
            "\u{0}", "é", "content-type:",
        ]
        for _ in 0..<run.rounds {
            var body = Array("--b\r\n".utf8)
            for _ in 0..<random.below(30) { body += random.pick(words).utf8 }
            if random.chance(50) { body += "\r\n--b--".utf8 }
            if random.chance(20), !body.isEmpty { body[random.below(body.count)] = UInt8(random.below(256)) }
            let whole = Self.read(body, in: [])
            let pieces = (0..<random.below(20)).map { _ in 1 + random.below(5) }
            let split = Self.read(body, in: pieces)
            // A refusal may come before or after what was read until then; bytes of parts never differ.
            #expect(whole == split, "seed \(run.seed): \(body)")
        }
    }

    @Test("Metadata is refused or read; what was read is within the limits, and is written and read again as the same")
    func metadata() throws {
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
        for _ in 0..<run.rounds {
            var metadata = ObjectMetadata()
            do {
                for _ in 0...random.below(3) { try metadata.merge(value(2, &random)) }
            } catch {
                #expect(error.code == .badRequest, "seed \(run.seed)")
            }
            for field in ObjectMetadata.Field.allCases {
                let text = metadata[field] ?? ""
                #expect(text.utf8.count <= ObjectMetadata.maxFieldBytes, "seed \(run.seed)")
                #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "seed \(run.seed)")
            }
            let record = try #require(JSONValue(text: JSONValue.object(metadata.members).text))
            #expect(ObjectMetadata(record).fields == metadata.fields, "seed \(run.seed)")
        }
    }

    @Test("Addresses are read or refused, and what they name is written and read again as the same")
    func addresses() {
        let run = RandomRun(rounds: 3000)
        var random = SeededGenerator(seed: run.seed)
        let words = ["/v0/b/", "bucket", "/o", "/", "%2F", "%", "%C3%A9", "%FF", "a", "..", "?", "http://h", "/o/"]
        for _ in 0..<run.rounds {
            let text = (0..<random.below(12)).map { _ in random.pick(words) }.joined()
            for text in [text, "/v0/b/x/o/" + text] {
                if let address = StorageAddress(text), let name = address.name {
                    let again = StorageAddress("/v0/b/x/o/\(PercentEncoding.encode(name.utf8))")
                    #expect(again?.name?.utf8.elementsEqual(name.utf8) == true, "seed \(run.seed)")
                }
            }
            if let address = ObjectAddress("http://h/v0/b/x/o/" + text) {
                let key = ObjectKey.path(address.name)
                #expect(ObjectKey.name(at: key) == address.name, "seed \(run.seed)")
            }
        }
    }
}
