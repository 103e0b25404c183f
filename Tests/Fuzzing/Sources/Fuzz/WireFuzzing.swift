import NIOCore

@testable import Access
@testable import DatabaseHTTP
@testable import TreeModel

/// Frames and messages of the wire protocol under hostile bytes.
enum WireFuzzing {
    /// Tests the bytes as a message of a client, as one of the service, and as frames of a client.
    static func takeFrames(_ bytes: [UInt8]) {
        _ = ClientMessage(.text(bytes))
        _ = ClientMessage(.tooLong(edges: bytes))
        checkMembers(of: bytes)
        checkFrames(of: bytes)
        join(bytes)
    }

    /// Checks that a scan for quotes and brackets alone finds the same members of an object as the JSON parser.
    private static func checkMembers(of text: [UInt8]) {
        guard case .object(let object) = JSONValue(text: text) else { return }
        guard let members = JSONSlice(text).members(), Set(members.keys) == Set(object.keys) else {
            fatalError("members are missed")
        }
        for (name, value) in object where members[name]?.value != value { fatalError("\(name) has another value") }
    }

    /// Checks that a message that is cut into frames is the same when it is joined; no frame is too long, and none cuts a
    /// character.
    private static func checkFrames(of message: [UInt8]) {
        guard var frames = FrameWriter.frames(message) else { return }
        // Messages of the service are objects, not numbers.
        let isNumber = message.allSatisfy { (0x30...0x39).contains($0) }
        let isText = String(validating: message, as: UTF8.self) != nil
        var joiner = MessageJoiner()
        var joined: MessageJoiner.Message?
        while let payload = readFrame(from: &frames) {
            guard joined == nil, payload.count <= FrameWriter.maxFrameBytes else { fatalError("frames without end") }
            if isText, String(validating: payload, as: UTF8.self) == nil { fatalError("a character is cut") }
            joined = try? joiner.add(payload, isContinuation: false, isFinal: true)
        }
        guard isNumber || joined == .text(message) else { fatalError("the joined message differs") }
    }

    private static func readFrame(from frames: inout ByteBuffer) -> [UInt8]? {
        guard let head = frames.readBytes(length: 2) else { return nil }
        guard head[0] == 0x81, head[1] <= 126 else { fatalError("a frame of another kind") }
        let length = head[1] < 126 ? Int(head[1]) : Int(frames.readInteger(as: UInt16.self) ?? 0)
        guard let payload = frames.readBytes(length: length) else { fatalError("a frame has no end") }
        return payload
    }

    /// Joins frames; each is a byte of flags, a length byte, and that many bytes.
    private static func join(_ bytes: [UInt8]) {
        var joiner = MessageJoiner()
        var (rest, taken) = (bytes[...], 0)
        while let flags = rest.popFirst(), let length = rest.popFirst() {
            let frame = rest.prefix(Int(length))
            rest = rest.dropFirst(frame.count)
            taken += frame.count
            do throws(MessageJoiner.Fault) {
                let message = try joiner.add(frame, isContinuation: flags & 1 == 1, isFinal: flags & 2 == 0)
                if let message, joiner.byteCount > 0 || message.byteCount > taken { fatalError("bytes are invented") }
            } catch {
                return
            }
            guard joiner.byteCount <= taken else { fatalError("\(joiner.byteCount) bytes are held of \(taken)") }
        }
    }
}
