import Foundation
import Glibc

/// Measures resumable uploads with a separate service; see ``ResumableBenchmark``.
func measureResumable(_ options: [String: String], folder: String, port: Int) throws {
    print("\na photo of 64 MiB over HTTP on the Unix socket, whole and in pieces")
    let apart = "\(folder)/resumable"
    try FileManager.default.createDirectory(atPath: apart, withIntermediateDirectories: true)
    let service = try Service(executable: options["tintype"] ?? "", folder: apart, port: port)
    defer { service.stop() }
    let rounds = Int(options["rounds"] ?? "") ?? 5
    try ResumableBenchmark(service, photo: options["photo"] ?? "", rounds: rounds).run()
}

/// Measures a photo of 64 MiB in pieces: cut off twenty times at random positions, five times by a kill of the service,
/// beside one request with the same bytes. Other processes render, and count in neither.
struct ResumableBenchmark {
    private static let byteCount = 64 << 20
    private static let cutCount = 20
    private static let killCount = 5

    private let service: Service
    private let rounds: Int
    private let photo: [UInt8]

    /// - Parameter photo: The path of a photo, which is extended by bytes that decoders ignore.
    init(_ service: Service, photo path: String, rounds: Int) throws {
        self.service = service
        self.rounds = rounds
        guard let data = FileManager.default.contents(atPath: path), data.count < Self.byteCount else {
            throw Failure("\(path) does not exist: run it in Benchmarks/")
        }
        var generator = SystemRandomNumberGenerator()
        var bytes = Array(data)
        bytes.reserveCapacity(Self.byteCount)
        while bytes.count < Self.byteCount { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        photo = Array(bytes.prefix(Self.byteCount))
    }

    func run() throws {
        try put()  // Once, to warm up.
        var (whole, cut, pieces, first) = (0.0, 0.0, 0.0, 0.0)
        var lost: [Int] = []
        for round in 1...rounds {
            let one = try put()
            let alive = try send(&lost, killCount: 0).spent
            let many = try send(&lost, killCount: Self.killCount)
            print(
                """
                  round \(round): one request \(ms(one * 1000)) of processor time, cut \(Self.cutCount) times \
                \(ms(alive * 1000)), killed \(Self.killCount) times, too, \(ms(many.spent * 1000)), the first requests after each \
                start \(ms(many.first * 1000))
                """)
            whole += one
            cut += alive
            pieces += many.spent
            first += many.first
        }
        let sorted = lost.sorted()
        let sum = sorted.reduce(0, +)
        print(
            """
              bytes sent again for each cut: \(sum / max(1, sorted.count)) in the mean, \(sorted[sorted.count / 2]) in the middle, \
            \(sorted.last ?? 0) at most
              processor time of the service, to one request's: cut \(rounded(cut / whole, 3)), killed, too, \
            \(rounded(pieces / whole, 3)); with the first requests after each start, which find cold caches: \
            \(rounded((pieces + first) / whole, 3))
            """)
    }

    /// Sends the photo in one request.
    ///
    /// - Returns: The processor time of the service, in seconds.
    @discardableResult
    private func put() throws -> Double {
        let begin = service.cpuSeconds
        let connection = try Connection(unix: service.socketPath)
        defer { connection.close() }
        try connection.send(
            head("PUT /v1/uploads?user=maria", "Content-Type: image/jpeg", length: photo.count))
        try connection.send(photo)
        _ = try answer(connection)
        return service.cpuSeconds - begin
    }

    /// Sends the photo in pieces.
    ///
    /// - Returns: The processor time of all runs of the service without their starts; and the processor time of the
    ///   first requests after each start, which are for another upload.
    private func send(_ lost: inout [Int], killCount: Int) throws -> (spent: Double, first: Double) {
        var (spent, first) = (0.0, 0.0)
        var begin = service.cpuSeconds
        let path = try create()
        let cuts = (0..<Self.cutCount).map { _ in Int.random(in: 1..<photo.count) }.sorted()
        let kills = Set((0..<Self.cutCount).shuffled().prefix(killCount))
        var offset = 0
        for (number, cut) in cuts.enumerated() where cut > offset {
            try sendPart(path, offset..<cut)
            if kills.contains(number) {
                spent += service.cpuSeconds - begin
                service.kill()
                try service.start()
                // The work of a start after its first answer belongs to the start.
                usleep(500_000)
                let start = service.cpuSeconds
                try warmUp()
                begin = service.cpuSeconds
                first += begin - start
            }
            let reached = try standing(path)
            lost.append(cut - reached)
            offset = reached
        }
        try sendRest(path, from: offset)
        return (spent + service.cpuSeconds - begin, first)
    }

    // MARK: - tus 1.0.0

    /// Sends the missing bytes. Repeats it if bytes of the previous request arrived after its client had read the
    /// offset.
    private func sendRest(_ path: String, from offset: Int) throws {
        do {
            let connection = try Connection(unix: service.socketPath)
            defer { connection.close() }
            try connection.send(patch(path, from: offset))
            try connection.send(Array(photo[offset...]))
            _ = try answer(connection)
        } catch {
            let reached = try standing(path)
            guard reached > offset else { throw error }
            try sendRest(path, from: reached)
        }
    }

    /// Begins an upload, sends a little of it, and ends it.
    private func warmUp() throws {
        let path = try create()
        try sendPart(path, 0..<1000)
        _ = try standing(path)
        let connection = try Connection(unix: service.socketPath)
        defer { connection.close() }
        try connection.send(head("DELETE \(path)", "Tus-Resumable: 1.0.0", length: 0))
        _ = try answer(connection)
    }

    private func create() throws -> String {
        let connection = try Connection(unix: service.socketPath)
        defer { connection.close() }
        let fields = "Tus-Resumable: 1.0.0\r\nUpload-Length: \(photo.count)"
        try connection.send(head("POST /v1/uploads?user=maria", fields, length: 0))
        guard let path = field("location", of: try answer(connection)) else {
            throw Failure("the answer has no Location")
        }
        return path
    }

    private func standing(_ path: String) throws -> Int {
        let connection = try Connection(unix: service.socketPath)
        defer { connection.close() }
        try connection.send(head("HEAD \(path)", "Tus-Resumable: 1.0.0", length: 0))
        guard let offset = field("upload-offset", of: try answer(connection)).flatMap({ Int($0) }) else {
            throw Failure("the answer has no Upload-Offset")
        }
        return offset
    }

    /// Begins a request for all missing bytes, and sends only a part of them.
    private func sendPart(_ path: String, _ part: Range<Int>) throws {
        let connection = try Connection(unix: service.socketPath)
        defer { connection.close() }
        try connection.send(patch(path, from: part.lowerBound))
        try connection.send(Array(photo[part]))
    }

    private func patch(_ path: String, from offset: Int) -> [UInt8] {
        head(
            "PATCH \(path)",
            "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\nUpload-Offset: \(offset)",
            length: photo.count - offset)
    }

    private func head(_ line: String, _ fields: String, length: Int) -> [UInt8] {
        Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\nContent-Length: \(length)\r\n\r\n".utf8)
    }

    /// Returns the head of an answer.
    private func answer(_ connection: Connection) throws -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let count = read(connection.descriptor, &chunk, chunk.count)
            guard count > 0 else { throw Failure("the service has closed the connection") }
            bytes += chunk[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 2") else { throw Failure("refused: \(text)") }
        return text
    }

    private func field(_ name: String, of head: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name):") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
}
