import Foundation
import TintypeClient
import TintypeStore

/// A photo-sharing app in a terminal, which works without a network.
@main
struct Main {
    static let usage = """
        usage: tintype-phone https://photos.example.org [--folder DIR]

        Shows the feed, and posts, likes and comments, with or without a network. What you write is kept in DIR (by
        default .tintype-phone in your home folder) until it is sent. If standard output is no terminal, commands are
        read line by line; h lists them.
        """

    static func main() async {
        do {
            var arguments = Array(CommandLine.arguments.dropFirst())
            var folder = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".tintype-phone")
            if let index = arguments.firstIndex(of: "--folder"), index + 1 < arguments.count {
                folder = URL(fileURLWithPath: arguments[index + 1])
                arguments.removeSubrange(index...index + 1)
            }
            guard arguments.count == 1, let service = URL(string: arguments[0]), service.host != nil,
                ["http", "https"].contains(service.scheme)
            else {
                print(usage)
                exit(2)
            }
            try await run(service, folder)
        } catch {
            let text = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
            FileHandle.standardError.write(Data("tintype-phone: \(text.printable)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ service: URL, _ folder: URL) async throws {
        // Nobody else may read the posts, nor the session.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let transport = URLSessionTransport()
        defer { transport.close() }
        let client = ServiceClient(
            service: service, keychain: FileKeychain(folder: folder.appendingPathComponent("keys")), transport: transport)
        let records = try await SQLiteRecordStore(path: folder.appendingPathComponent("store.sqlite").path)
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let device = Device(client, records, folder: folder) { continuation.yield($0) }
        do {
            if Terminal.isThere {
                try await Terminal.run({ continuation.yield($0) }) { terminal in
                    try await show(events, device, &terminal)
                }
            } else {
                try await LineMode(device: device, events: events).run()
            }
        } catch {
            device.end()
            await records.close()
            throw error
        }
        device.end()
        await records.close()
    }

    /// Shows the screen until the person quits.
    private static func show(_ events: AsyncStream<Event>, _ device: Device, _ terminal: inout Terminal) async throws {
        var (phone, parser, size) = (Phone(), KeyParser(), Terminal.currentSize)
        phone.session = try await device.client.session.state
        device.start()
        terminal.draw(phone.rows(in: size), in: size)
        for await event in events {
            switch event {
            case .quit: return
            case .failure(let error): throw error
            case .resized: size = Terminal.currentSize
            case .input(let bytes):
                for key in parser.keys(bytes) {
                    do { if try await phone.press(key, device) == .quit { return } } catch let error as RecordStoreError {
                        throw error
                    } catch {
                        phone.message = error.localizedDescription
                    }
                }
            default: phone.take(event)
            }
            if case .feed(let snapshot) = event { device.watchSending(snapshot.posts) }
            terminal.draw(phone.rows(in: size), in: size)
        }
    }
}
