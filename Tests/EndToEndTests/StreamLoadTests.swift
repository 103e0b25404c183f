import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Malicious listeners", .timeLimit(.minutes(20)), .serialized)
struct StreamLoadTests {
    @Test("Ten thousand half-open connections: memory is flat, others are served, and it ends on request")
    func halfOpen() async throws {
        // The limit of this process, minus some for other tests.
        let count = min(10_000, raiseDescriptorLimit() - 2_000)
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            _ = try await daemon.get("/.json")
            let before = daemon.residentBytes
            let requests = [
                "", "G", "GET /a.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-str",
                "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{\"b\":",
                // A complete one, whose response is never read.
                "GET /a.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n",
            ]
            var connections: [WireConnection] = []
            for number in 0..<count {
                let connection = try await WireConnection(socket: daemon.storage + "/tintype.sock", reads: false)
                try await connection.send(requests[number % requests.count])
                connections.append(connection)
                // Connections are accepted in order: those before this one are, and the number of waiting ones stays
                // below the limit.
                if number % 500 == 0 { _ = try await daemon.get("/healthz") }
            }
            for number in 0..<20 {
                let answer = try await daemon.client.ask(.put, "/a/\(number).json", body: .bytes(Array("true".utf8)))
                #expect(answer.status == 200)
            }
            let bytesEach = (daemon.residentBytes - before) / count
            #expect(bytesEach < 32 << 10, "\(bytesEach) bytes each")
            print("\(count) half-open connections: \(bytesEach) bytes of resident memory each")
            #expect(try await daemon.stop() == 0)
            for connection in connections { await connection.close() }
        }
    }

    @Test("A listener that does not read is cut off; others get all events, writers continue, memory stays bounded")
    func slowReader() async throws {
        let value = String(repeating: "x", count: 256 << 10)
        let writeCount = 200
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let socket = daemon.storage + "/tintype.sock"
            let listen = "GET /a.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
            let slow = try await WireConnection(socket: socket, reads: false)
            try await slow.send(listen)
            let quick = try await WireConnection(socket: socket)
            try await quick.send(listen)
            #expect(await quick.read(through: "data: {\"path\":\"/\",\"data\":null}\n\n") != nil)
            let before = daemon.residentBytes
            for number in 0..<writeCount {
                let body = "\"\(number)\(value)\""
                let answer = try await daemon.client.ask(
                    .put, "/a/v.json?print=silent", body: .bytes(Array(body.utf8)))
                #expect(answer.status == 204)
                var event = await quick.read(through: "\n\n")
                // On a slow machine this takes longer than the time between two events.
                while event?.hasPrefix("event: keep-alive\n") == true { event = await quick.read(through: "\n\n") }
                #expect(event?.hasPrefix("event: put\ndata: {\"path\":\"/v\",\"data\":\"\(number)xx") == true)
            }
            let grown = (daemon.residentBytes - before) >> 20
            #expect(grown < 64, "grew by \(grown) MiB while \(writeCount / 4) MiB were sent")
            // It can still read the response that was in transit, and then the end.
            slow.beginReading()
            let told = await slow.readToEnd()
            #expect(told.utf8.count < 16 << 20, "\(told.utf8.count) bytes were kept for it")
            #expect(try await daemon.stop() == 0)
            await quick.close()
            await slow.close()
        }
    }

    @Test("Forty large streams that are not read wait on disk, not in memory, while others are served")
    func unread() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let json = largeJSON(mebibytes: 4)
            let written = try await daemon.client.ask(.put, "/large.json?print=silent", body: .bytes(Array(json.utf8)))
            #expect(written.status == 204)
            let before = daemon.residentBytes
            var streams: [WireConnection] = []
            for _ in 0..<40 {
                let stream = try await WireConnection(socket: daemon.storage + "/tintype.sock", reads: false)
                try await stream.send(
                    "GET /large.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
                streams.append(stream)
            }
            var mostResident = 0
            func spooledBytes() -> Int { unnamedBytes(in: daemon.storage, of: daemon.processID) }
            try await eventually {
                mostResident = max(mostResident, daemon.residentBytes)
                let answer = try await daemon.client.ask(.put, "/small.json", body: .bytes(Array("1".utf8)))
                #expect(answer.status == 200)
                return spooledBytes() > 140 << 20
            }
            let grown = (mostResident - before) >> 20
            #expect(grown < 80, "grew by \(grown) MiB")
            for stream in streams { await stream.close() }
            try await eventually { spooledBytes() == 0 }
            #expect(try await daemon.stop() == 0)
        }
    }

    /// Raises the limit of descriptors of this process and its children to the system's; returns the limit.
    private func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
