import NIOCore
import Testing
import Tree

@testable import DatabaseHTTP

@Suite("Frames and messages of the wire protocol", .timeLimit(.minutes(10)))
struct WireFrameTests {
    @Test(
        "Frames are joined by their number; 0 and malformed numbers are refused",
        arguments: [
            (["{}"], ["{}"]), (["2", "{\"a\"", ":1}"], ["{\"a\":1}"]), (["0", "{}", "0"], ["{}"]),
            (["1", "12"], ["12"]), (["000002", "a", "b", "c"], ["ab", "c"]), (["1234567"], ["1234567"]),
            (["-1", "1.5", ""], ["-1", "1.5", ""]), (["2", "a", "0", "b"], ["a0", "b"]),
        ])
    func joined(frames: [String], messages: [String]) throws {
        var joiner = MessageJoiner()
        let joined = try frames.compactMap { frame in
            try joiner.add(Array(frame.utf8), isContinuation: false, isFinal: true)
        }
        #expect(joined == messages.map { .text(Array($0.utf8)) })
    }

    @Test("A frame may arrive in parts, which no other frame interrupts")
    func parts() throws {
        var joiner = MessageJoiner()
        #expect(try joiner.add([0x31], isContinuation: false, isFinal: false) == nil)
        #expect(throws: MessageJoiner.Fault.badContinuation) {
            try joiner.add([0x31], isContinuation: false, isFinal: true)
        }
        #expect(joiner.isWithinMessage)
        #expect(try joiner.add([0x32], isContinuation: true, isFinal: true) == nil)
        for _ in 0..<11 { #expect(try joiner.add([0x78], isContinuation: false, isFinal: true) == nil) }
        #expect(try joiner.add([0x79], isContinuation: false, isFinal: true)?.byteCount == 12)
        #expect(throws: MessageJoiner.Fault.badContinuation) {
            try joiner.add([0x31], isContinuation: true, isFinal: true)
        }
    }

    @Test("The beginning and the end of a message over the limit are kept; the next one is read as usual")
    func tooLong() throws {
        var joiner = MessageJoiner()
        func add(_ text: [UInt8]) throws -> MessageJoiner.Message? {
            try joiner.add(text, isContinuation: false, isFinal: true)
        }
        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
        for pieceCount in [18, 40] {
            #expect(try add(Array("\(pieceCount)".utf8)) == nil)
            #expect(try add(Array("begin".utf8) + piece) == nil)
            for _ in 2..<pieceCount {
                #expect(try add(piece) == nil)
                #expect(joiner.byteCount <= MessageJoiner.maxBytes)
            }
            #expect(joiner.isTooLong)
            let edges = Array("begin".utf8) + [UInt8](repeating: 0x78, count: 504) + Array("end".utf8)
            #expect(try add(Array("end".utf8)) == .tooLong(edges: edges))
            #expect(try add(Array("{}".utf8)) == .text(Array("{}".utf8)))
        }
    }

    @Test("A long message is read when its client may write, and is dropped when they may not")
    func asked() throws {
        var reading = MessageReading()
        let piece = [UInt8](repeating: 0x78, count: 16 << 10)
        func add(_ text: [UInt8]) throws -> MessageJoiner.Message? {
            defer { reading.noteFrame() }
            return try reading.joiner.add(text, isContinuation: false, isFinal: true)
        }
        for (number, maySend) in [true, false, true].enumerated() {
            #expect(try add(Array("8".utf8)) == nil)
            for _ in 0..<4 { #expect(try add(piece) == nil) }
            let early = reading.beginAsking()
            #expect(reading.isReady && early == nil, "so much is kept of anybody")
            #expect(try add(piece) == nil)
            #expect(!reading.isReady)
            let (asked, again) = (reading.beginAsking(), reading.beginAsking())
            #expect(asked == number && again == nil)
            reading.decide(!maySend, on: number + 1)
            #expect(!reading.isReady, "an answer about another message is none")
            reading.decide(maySend, on: number)
            #expect(reading.isReady)
            if !maySend { #expect(reading.joiner.byteCount <= 512) }
            for _ in 0..<2 { #expect(try add(piece) == nil) }
            let message = try #require(try add(piece))
            #expect(message.byteCount == (maySend ? 8 * piece.count : 512))
            if case .denied = message { #expect(!maySend) } else { #expect(maySend) }
        }
    }

    @Test("A message that ends before its permission is known is read")
    func askedTooLate() throws {
        var reading = MessageReading()
        func add(_ text: [UInt8]) throws -> MessageJoiner.Message? {
            defer { reading.noteFrame() }
            return try reading.joiner.add(text, isContinuation: false, isFinal: true)
        }
        let piece = [UInt8](repeating: 0x78, count: 65 << 10)
        #expect(try add(Array("2".utf8)) == nil)
        #expect(try add(piece) == nil)
        let asked = reading.beginAsking()
        let number = try #require(asked)
        #expect(try add(piece)?.byteCount == 2 * piece.count)
        #expect(reading.isReady)
        #expect(try add(Array("2".utf8)) == nil)
        reading.decide(false, on: number)
        #expect(try add(piece) == nil)
        #expect(reading.joiner.byteCount == piece.count)
    }

    @Test(
        "Messages are cut between characters, into frames that each client reads",
        arguments: [0, 125, 126, 16_384, 16_385, 70_000])
    func cut(length: Int) throws {
        for text in ["x", "é", "€", "😀", "x😀€é"] {
            let message = Array(String(repeating: text, count: length).utf8.prefix(length))
            guard String(validating: message, as: UTF8.self) != nil else { continue }
            var frames = try #require(FrameWriter.frames(message))
            var texts: [String] = []
            while let head = frames.readBytes(length: 2) {
                #expect(head[0] == 0x81)
                var count = Int(head[1])
                if count == 126 { count = Int(frames.readInteger(as: UInt16.self) ?? 0) }
                let payload = frames.readBytes(length: count) ?? []
                texts.append(try #require(String(validating: payload, as: UTF8.self)))
            }
            guard texts.count > 1 else {
                #expect(Array(texts[0].utf8) == message)
                continue
            }
            #expect(Int(texts[0]) == texts.count - 1)
            #expect(Array(texts.dropFirst().joined().utf8) == message)
            #expect(texts.allSatisfy { $0.utf16.count <= 16_384 })
        }
    }

    @Test(
        "Queries are parsed in the form of each of the SDKs",
        arguments: [
            (#"{"l":4,"vf":"r","i":".key","ep":"-P9","ein":true}"#, "key …-P9 last 4"),
            (#"{"sp":"a","sn":"[MAX_NAME]","sin":false,"i":"n"}"#, "n a/[MAX_NAME](…"),
            (#"{"sp":5,"i":".value"}"#, "value 5…"), (#"{"l":3}"#, "priority … last 3"),
            (#"{"l":3,"sp":null}"#, "priority null… first 3"),
            (#"{"i":"a/b","sp":1,"sn":"k","ep":2,"en":"z"}"#, "a/b 1/k…2/z"),
            (#"{"i":".key"}"#, "nothing"), ("{}", "nothing"), ("null", "nothing"),
            (#"{"l":0}"#, "refused"), (#"{"l":1.5}"#, "refused"), (#"{"l":1,"vf":"x"}"#, "refused"), ("7", "refused"),
            (#"{"i":7,"l":1}"#, "refused"), (#"{"i":"","l":1}"#, "refused"), (#"{"sp":[1]}"#, "refused"),
            (#"{"sp":1,"sn":2}"#, "refused"), (#"{"sp":1,"sin":"no"}"#, "refused"),
            (#"{"i":".key","sp":1}"#, "refused"),
        ])
    func queries(text: String, meaning: String) {
        do {
            let query = try TreeQuery.wire(JSONSlice(Array(text.utf8)).value)
            #expect(query.map(Self.description) ?? "nothing" == meaning)
        } catch {
            #expect(meaning == "refused", "\(error)")
        }
    }

    private static func description(of query: TreeQuery) -> String {
        let order =
            switch query.order {
            case .key: "key"
            case .value: "value"
            case .priority: "priority"
            case .children(let paths): paths[0].keys.map(\.string).joined(separator: "/")
            }
        let limit =
            switch query.limit {
            case nil: ""
            case .first(let count): " first \(count)"
            case .last(let count): " last \(count)"
            }
        return "\(order) \(end(query.lower, "("))…\(end(query.upper, ")"))\(limit)"
    }

    private static func end(_ bound: TreeQuery.Bound?, _ mark: String) -> String {
        guard let bound else { return "" }
        let value = bound.values[0].map { String(decoding: $0.json(), as: UTF8.self).filter { $0 != "\"" } } ?? "null"
        return value + (bound.key.map { "/\($0)" } ?? "") + (bound.isInclusive ? "" : mark)
    }
}
