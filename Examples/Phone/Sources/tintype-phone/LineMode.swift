import Foundation
import TintypeClient
import TintypeModel
import TintypeStore

#if canImport(Glibc)
    import Glibc
#endif

/// Commands line by line, for scripts and for output that is no terminal.
struct LineMode {
    static let help = """
        f               shows the feed
        p TEXT @FILE…   posts a text and photos
        l N             likes post N of the feed, or no longer
        c N TEXT        comments on it
        o N             shows its comments
        e N TEXT        changes its text
        d N             deletes it
        n               shows the notifications
        r, x            sends what was not accepted again, or discards it
        w               waits until everything is sent
        q               quits
        """

    let device: Device
    let events: AsyncStream<Event>
    private var store: LocalStore { device.store }

    init(device: Device, events: AsyncStream<Event>) { (self.device, self.events) = (device, events) }

    func run() async throws {
        if try await device.client.session.state == .signedOut {
            print("The first two lines are the address and the password.")
            guard let address = readLine(), let password = Self.readPassword() else { return }
            try await device.client.session.signIn(email: address, password: password)
        }
        device.start()
        let lines = AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
        for await line in lines {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            if parts.first == "q" { return }
            do { try await obey(parts) } catch let error as RecordStoreError { throw error } catch {
                print("failed: \(error.localizedDescription.printable)")
            }
        }
    }

    private func obey(_ parts: [String]) async throws {
        let words = Array(parts.dropFirst())
        switch parts.first {
        case "f": printRows(try await posts().enumerated().flatMap { [[Span("[\($0 + 1)]")]] + rows($1) })
        case "n":
            let list = try await first(store.notifications())
            printRows(list?.notifications.flatMap { $0.rows(isSelected: false, width: 80) } ?? [])
        case "p":
            let files = words.filter { $0.hasPrefix("@") }.map { URL(fileURLWithPath: String($0.dropFirst())) }
            let text = words.filter { !$0.hasPrefix("@") }.joined(separator: " ")
            try await store.publish(
                PostDraft(text: text.isEmpty ? nil : text, photos: files.map { PhotoDraft(file: $0) }))
        case "w": for try await count in store.unsentCount() where count == 0 { break }
        case "r", "x":
            for write in try await first(store.parkedWrites()) ?? [] {
                if parts[0] == "r" { try await store.retry(write.id) } else { try await store.discard(write.id) }
            }
        case "l", "c", "o", "e", "d": try await obey(parts[0], words)
        case nil: break
        default: print(Self.help)
        }
    }

    /// Obeys a command on one post.
    private func obey(_ command: String, _ words: [String]) async throws {
        let posts = try await posts()
        guard let number = words.first.flatMap({ Int($0) }), posts.indices.contains(number - 1) else {
            return print("There is no such post; f shows their numbers.")
        }
        let (post, text) = (posts[number - 1], words.dropFirst().joined(separator: " "))
        switch command {
        case "l": try await store.setLike(post.post.isLiked != true, of: post.id)
        case "c": try await store.comment(text, on: post.id)
        case "e": try await store.edit(post.id, text: text.isEmpty ? nil : text)
        case "d": try await store.delete(post.id)
        default:
            _ = try? await store.loadComments(on: post.id)
            let comments = try await first(store.comments(on: post.id)) ?? []
            printRows(comments.flatMap { $0.rows(parked: [], isSelected: false, width: 80) })
        }
    }

    private func posts() async throws -> [LocalPost] { try await first(device.feed.snapshots())?.posts ?? [] }

    private func rows(_ post: LocalPost) -> [Row] {
        PostCell(post: post, parked: [], progress: nil).rows(isSelected: false, width: 80)
    }

    /// Returns the present value.
    private func first<Value>(_ values: LocalValues<Value>) async throws -> Value? {
        for try await value in values { return value }
        return nil
    }

    private func printRows(_ rows: [Row]) { for row in rows { print(row.plainText) } }
}

extension LineMode {
    /// Reads a line that is not shown while it is typed, if standard input is a terminal.
    fileprivate static func readPassword() -> String? {
        var saved = termios()
        guard tcgetattr(0, &saved) == 0 else { return readLine() }
        var silent = saved
        silent.c_lflag &= ~tcflag_t(ECHO)
        // With its signals off, Ctrl-C cannot end the program while nothing is shown.
        silent.c_lflag &= ~tcflag_t(ISIG)
        tcsetattr(0, TCSADRAIN, &silent)
        defer { tcsetattr(0, TCSADRAIN, &saved) }
        return readLine()
    }
}
