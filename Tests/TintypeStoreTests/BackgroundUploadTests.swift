import DaemonSupport
import Foundation
import Synchronization
import Testing
import TintypeClient
import TintypeModel
import TintypeStore
import TintypeTestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Photos that the system sends without the app", .timeLimit(.minutes(5)))
struct BackgroundUploadTests {
    private func withAnn(_ body: (ServiceProcess, URLSessionTransport) async throws -> Void) async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await URLSessionTransport.run { try await body(service, $0) }
        }
    }

    /// Photos that differ, of the given sizes.
    private func draft(in folder: URL, _ counts: [Int]) throws -> PostDraft {
        var photos: [PhotoDraft] = []
        for (number, count) in counts.enumerated() {
            var bytes = try Data(contentsOf: Fixtures.photo)
            bytes.append(Data(repeating: UInt8(number), count: max(1, count - bytes.count)))
            let file = folder.appendingPathComponent("\(number).jpg")
            try bytes.write(to: file)
            photos.append(PhotoDraft(file: file, alternativeText: "View \(number)"))
        }
        return PostDraft(text: "Views", photos: photos)
    }

    private func check(_ device: Device, _ count: Int) async throws {
        let posts = try await device.client.posts().value.elements
        #expect(posts.count == 1 && posts.first?.text == "Views")
        #expect(posts.first?.photos.map(\.alternativeText) == (0..<count).map { "View \($0)" })
        let kept = device.folder.appendingPathComponent("photos")
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).isEmpty)
    }

    @Test("The session sends all photos; the post has them in their order, whichever arrives first")
    func session() async throws {
        try await withAnn { service, network in
            let uploader = URLSessionBackgroundUploader(configuration: .ephemeral)
            let counting = PieceCounter(network)
            try await Device.run("ann", of: service, transport: counting, uploader: uploader) { device in
                let submission = try await device.store.publish(try draft(in: device.folder, [3 << 20, 1, 1 << 20, 1]))
                let states = Task { [states = submission.states] in
                    var counts: Set<Int64> = []
                    for try await state in states {
                        if case .sending(let sent, let count) = state { counts.formUnion([sent, count]) }
                        if state.isFinal { break }
                    }
                    return counts.max()
                }
                try await device.store.sendAll()
                #expect(try #require(await states.value) > 4 << 20)
                try await check(device, 4)
                #expect(counting.count == 0)
            }
        }
    }

    @Test("An upload goes on while the app is gone; the next start takes its answer, and sends no byte again")
    func gone() async throws {
        try await withAnn { service, network in
            let gate = UploadGate(network)
            let uploader = TransportUploader(gate)
            let counting = PieceCounter(network)
            try await withFolder { folder in
                try await Device.run("ann", of: service, in: folder, transport: counting, uploader: uploader) {
                    device in
                    try await device.store.publish(try draft(in: device.folder, [2 << 20, 1]))
                    try await device.online { await gate.arrivals(2) }
                }
                gate.open()
                try await Device.run("ann", of: service, in: folder, transport: counting, uploader: uploader) {
                    device in
                    try await device.store.sendAll()
                    try await check(device, 2)
                }
                #expect(gate.count == 2 && counting.count == 0)
            }
        }
    }

    @Test(
        "What the system leaves is sent in pieces, from the byte on that the service does not have",
        arguments: UploadGate.Fault.allCases)
    func faults(fault: UploadGate.Fault) async throws {
        try await withAnn { service, network in
            let gate = UploadGate(network, fault: fault)
            gate.open()
            let counting = PieceCounter(network)
            let uploader = TransportUploader(gate)
            try await Device.run("ann", of: service, transport: counting, uploader: uploader) { device in
                try await device.store.publish(try draft(in: device.folder, [(3 << 20) + 5, 1]))
                try await device.store.sendAll()
                try await check(device, 2)
                // The first MiB has arrived before a cut, and everything before a lost answer.
                switch fault {
                case .expiredToken, .unknown: #expect(counting.count >= 4)
                case .cut: #expect(counting.byteCount <= (2 << 20) + 5 + (1 << 20))
                case .lostAnswer: #expect(counting.count == 0)
                }
            }
        }
    }

    @Test("A file that is not a photo is refused with the reason of the service, and no other post waits for it")
    func refused() async throws {
        try await withAnn { service, network in
            try await Device.run("ann", of: service, uploader: TransportUploader(network)) { device in
                let file = device.folder.appendingPathComponent("broken.jpg")
                try Data(repeating: 7, count: 50_000).write(to: file)
                let broken = try await device.store.publish(PostDraft(photos: [PhotoDraft(file: file)]))
                let text = try await device.store.publish(PostDraft(text: "After it"))
                try await device.online {
                    _ = try await first(text.states, where: \.isFinal)
                    let state = try await first(broken.states) { if case .refused = $0 { true } else { false } }
                    guard case .refused(let problem) = state else { return }
                    #expect(problem.status == 415 && problem.code != .unknown && !problem.message.isEmpty)
                }
            }
        }
    }

    @Test("Data that are removed from the device end their uploads")
    func removed() async throws {
        try await withAnn { service, network in
            let gate = UploadGate(network)
            let uploader = TransportUploader(gate)
            try await Device.run("ann", of: service, uploader: uploader) { device in
                try await device.store.publish(try draft(in: device.folder, [1, 1]))
                try await device.online { await gate.arrivals(2) }
                try await device.store.removeData(of: "ann")
                await gate.cancellations(2)
                #expect(try await device.client.posts().value.elements.isEmpty)
            }
        }
    }
}

/// A network on whose way photos wait, or meet a fault.
final class UploadGate: Transport {
    /// A fault of uploads.
    enum Fault: CaseIterable {
        /// A refusal because of the token, as after an hour.
        case expiredToken
        /// An error of the system before anything is sent.
        case unknown
        /// The end of the connection after the first MiB.
        case cut
        /// The end of the connection after everything was sent.
        case lostAnswer
    }

    private let base: any Transport
    private let fault: Fault?
    private let (opened, opening) = AsyncStream.makeStream(of: Void.self)
    private let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
    private let (cancelled, cancellation) = AsyncStream.makeStream(of: Void.self)
    private let isOpen = Mutex(false)
    private let counter = Mutex(0)

    init(_ base: any Transport, fault: Fault? = nil) { (self.base, self.fault) = (base, fault) }

    /// The number of uploads.
    var count: Int { counter.withLock(\.self) }

    /// Lets everything pass.
    func open() {
        isOpen.withLock { $0 = true }
        opening.finish()
    }

    /// Waits for a number of uploads.
    func arrivals(_ count: Int) async { for await _ in arrived.prefix(count) {} }

    /// Waits until a number of uploads was cancelled.
    func cancellations(_ count: Int) async { for await _ in cancelled.prefix(count) {} }

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        counter.withLock { $0 += 1 }
        arrival.yield()
        while !isOpen.withLock(\.self) {
            do { try await Task.sleep(for: .milliseconds(5)) } catch {
                cancellation.yield()
                throw error
            }
        }
        switch fault {
        case .expiredToken:
            return TransportResponse(status: 401, body: Data(#"{"code":"bad_token","title":"expired"}"#.utf8))
        case .unknown: throw TransportError(.interrupted)
        case .cut:
            var part = request
            guard case .file(let file, _, let count) = request.body, count > 1 << 20 else { break }
            part.body = .file(file, offset: 0, count: 1 << 20)
            part.headers["Upload-Complete"] = "?0"
            part.headers["Upload-Length"] = String(count)
            _ = try await base.response(to: part, progress: nil)
            throw TransportError(.interrupted)
        case .lostAnswer:
            _ = try await base.response(to: request, progress: progress)
            throw TransportError(.interrupted)
        case nil: break
        }
        return try await base.response(to: request, progress: progress)
    }

    func stream(for request: TransportRequest) async throws -> TransportStream { try await base.stream(for: request) }
}

/// A network that counts the pieces of photos.
final class PieceCounter: Transport {
    private let base: any Transport
    private let counts = Mutex((count: 0, byteCount: Int64(0)))

    init(_ base: any Transport) { self.base = base }

    /// The number of pieces.
    var count: Int { counts.withLock(\.count) }
    /// The number of their bytes.
    var byteCount: Int64 { counts.withLock(\.byteCount) }

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        if case .file(_, _, let count) = request.body {
            counts.withLock { $0 = ($0.count + 1, $0.byteCount + count) }
        }
        return try await base.response(to: request, progress: progress)
    }

    func stream(for request: TransportRequest) async throws -> TransportStream { try await base.stream(for: request) }
}
