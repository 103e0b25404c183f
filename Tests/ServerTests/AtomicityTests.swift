import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("The database: multi-path updates, seen by other clients", .timeLimit(.minutes(20)))
struct AtomicityTests {
    private static let writerCount = 8
    private static let updatesEach = 60
    /// The paths of listeners, each with the number of an update's values below it.
    private static let places = [("/t", 5), ("/t/x", 3), ("/t/x/y", 2), ("/t/z", 1)]

    @Test("Readers and listeners never see half of an update; each listener gets each update once, in the same order")
    func wholeOrNothing() async throws {
        try await withService { service in
            _ = try await service.client.ask(.patch, "/t.json", body: .bytes(Self.update(0)))
            let told = try await withThrowingTaskGroup(of: [Int].self) { listeners in
                let (begun, begin) = AsyncStream.makeStream(of: Void.self)
                for (place, count) in Self.places {
                    listeners.addTask {
                        try await Self.listen(to: place, count: count, socket: service.socketPath) { begin.yield() }
                    }
                }
                for await _ in begun.prefix(Self.places.count) {}
                try await write(to: service)
                return try await listeners.reduce(into: []) { $0.append($1) }
            }
            let all = Set(1...Self.writerCount * Self.updatesEach)
            for numbers in told { #expect(Set(numbers) == all && numbers == told[0]) }
        }
    }

    /// Writes with several writers at once, while others read.
    private func write(to service: Service) async throws {
        let isOver = Shared(false)
        try await withThrowingTaskGroup(of: Void.self) { readers in
            for _ in 0..<3 {
                readers.addTask {
                    while !isOver.value {
                        let text = try await service.client.get("/t.json").text
                        let numbers = Self.numbers(in: text)
                        #expect(numbers.count == 5 && Set(numbers).count == 1, "\(text)")
                    }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { writers in
                for writer in 0..<Self.writerCount {
                    writers.addTask {
                        for update in 1...Self.updatesEach {
                            let body = Self.update(writer * Self.updatesEach + update)
                            let answer = try await service.client.ask(.patch, "/t.json", body: .bytes(body))
                            #expect(answer.status == 200)
                        }
                    }
                }
                try await writers.waitForAll()
            }
            isOver.change { $0 = true }
            try await readers.waitForAll()
        }
    }

    /// Listens until all updates have been received, and returns their numbers in the order of arrival.
    private static func listen(
        to place: String, count: Int, socket: String, _ hasBegun: () -> Void
    ) async throws -> [Int] {
        let connection = try await WireConnection(socket: socket)
        try await connection.send("GET \(place).json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        _ = try #require(await connection.read(through: "\r\n\r\n"))
        _ = try #require(await connection.read(through: "\n\n"))
        hasBegun()
        var told: [Int] = []
        while told.count < writerCount * updatesEach {
            let event = try #require(await connection.read(through: "\n\n"))
            guard !event.hasPrefix("event: keep-alive") else { continue }
            let numbers = numbers(in: event)
            #expect(numbers.count == count && Set(numbers).count == 1, "\(place): \(event)")
            told.append(try #require(numbers.first))
        }
        await connection.close()
        return told
    }

    /// An update that writes the same number at five paths.
    private static func update(_ number: Int) -> [UInt8] {
        Array("{\"a\":\(number),\"x/p\":\(number),\"x/y\":{\"q\":\(number),\"r\":\(number)},\"z\":\(number)}".utf8)
    }

    private static func numbers(in text: String) -> [Int] {
        text.split { !$0.isNumber }.compactMap { Int($0) }
    }
}
