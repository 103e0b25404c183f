import Foundation
import TintypeClient
import TintypeModel
import TintypeStore
import TintypeTestSupport

/// A person's device as a process of its own, for tests that end it at any moment. It reads commands from the standard
/// input, a JSON document a line, and answers each with a line. A write is answered when it is durable.
///
///     Device FOLDER ADDRESS [--clock-offset SECONDS] [--speed FACTOR] [--uploader 0|1]
///
/// With an uploader, photos are sent whole, apart from the store. The environment variable `TINTYPE_DEVICE_KILL_AT` names a
/// moment at which it ends as by a power cut: see `KillPoint`.
@main
struct Device {
    let client: ServiceClient
    let store: LocalStore
    let records: any RecordStore
    let clock: ShiftedClock
    let network: SwitchedReachability

    static func main() async throws {
        let arguments = try Arguments(CommandLine.arguments)
        let clock = ShiftedClock(offset: arguments.clockOffset, speed: arguments.speed)
        let kill = try KillPoint(ProcessInfo.processInfo.environment["TINTYPE_DEVICE_KILL_AT"])
        let network = SwitchedReachability()
        try await URLSessionTransport.run { transport in
            let client = ServiceClient(
                service: arguments.service, keychain: FileKeychain(folder: arguments.folder.appending(path: "keys")),
                transport: MortalTransport(transport, kill), clock: clock)
            let uploader = arguments.hasUploader ? TransportUploader(MortalTransport(transport, kill)) : nil
            let file = arguments.folder.appending(path: "store.sqlite").path
            let records = MortalRecordStore(try await SQLiteRecordStore(path: file), kill)
            let store = LocalStore(
                client: client, records: records, folder: arguments.folder.appending(path: "photos"), clock: clock,
                reachability: network, uploader: uploader)
            let device = Device(client: client, store: store, records: records, clock: clock, network: network)
            await device.run()
            await records.close()
        }
    }

    /// Sends and follows, and answers commands until the input ends.
    private func run() async {
        let running = Task { await keepRunning() }
        await withDiscardingTaskGroup { group in
            for await line in Self.inputLines() {
                guard let command = Command(line) else { continue }
                // Writes keep their order. What waits for the network stops no other command.
                if command.waits { group.addTask { await answer(command) } } else { await answer(command) }
            }
            group.cancelAll()
        }
        running.cancel()
        await running.value
    }

    private static func inputLines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }

    /// Runs the store, also after an error of the disk.
    private func keepRunning() async {
        while !Task.isCancelled {
            do { try await store.run() } catch is CancellationError { return } catch {
                FileHandle.standardError.write(Data("run: \(error)\n".utf8))
                try? await clock.sleep(for: .seconds(1))
            }
        }
    }

    private func answer(_ command: Command) async {
        var answer: [String: JSONValue] = ["id": command.document["id"] ?? .null]
        do {
            for (name, value) in try await perform(command) { answer[name] = value }
        } catch { answer["error"] = .string("\(error)") }
        guard let data = try? JSONEncoder().encode(JSONValue.object(answer)) else { return }
        FileHandle.standardOutput.write(data + Data("\n".utf8))
    }
}

/// The options of the command line.
struct Arguments {
    let folder: URL
    let service: URL
    var clockOffset = 0.0
    var speed = 1.0
    var hasUploader = false

    init(_ arguments: [String]) throws {
        guard arguments.count >= 3, let service = URL(string: arguments[2]) else { throw UsageError() }
        folder = URL(fileURLWithPath: arguments[1])
        self.service = service
        var rest = arguments.dropFirst(3)
        while let option = rest.popFirst() {
            guard let number = rest.popFirst().flatMap({ Double($0) }) else { throw UsageError() }
            switch option {
            case "--clock-offset": clockOffset = number
            case "--speed": speed = number
            case "--uploader": hasUploader = number != 0
            default: throw UsageError()
            }
        }
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description = "usage: Device FOLDER ADDRESS [--clock-offset SECONDS] [--speed FACTOR] [--uploader 0|1]"
}
