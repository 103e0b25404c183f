import DaemonSupport
import Foundation
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

    /// Checks a post of a device, once the device has read it: until then it keeps the photos.
    private func check(_ device: Device, _ id: WriteID?, _ count: Int) async throws {
        let states = device.store.states(of: try #require(id))
        try await device.online { _ = try await first(states, where: \.isFinal) }
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
                try await check(device, submission.id, 4)
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
                let write = try await Device.run(
                    "ann", of: service, in: folder, transport: counting, uploader: uploader
                ) { device in
                    let submission = try await device.store.publish(try draft(in: device.folder, [2 << 20, 1]))
                    try await device.online { await gate.arrivals(2) }
                    return submission.id
                }
                gate.open()
                try await Device.run("ann", of: service, in: folder, transport: counting, uploader: uploader) {
                    device in
                    try await device.store.sendAll()
                    try await check(device, write, 2)
                }
                #expect(gate.count == 2 && counting.count == 0)
            }
        }
    }

    @Test(
        "Photos that the system leaves are sent in pieces, from the first byte on that the service does not have",
        arguments: UploadGate.Fault.allCases)
    func faults(fault: UploadGate.Fault) async throws {
        try await withAnn { service, network in
            let gate = UploadGate(network, fault: fault)
            gate.open()
            let counting = PieceCounter(network)
            let uploader = TransportUploader(gate)
            try await Device.run("ann", of: service, transport: counting, uploader: uploader) { device in
                let submission = try await device.store.publish(try draft(in: device.folder, [(3 << 20) + 5, 1]))
                try await device.store.sendAll()
                try await check(device, submission.id, 2)
                // The first MiB has arrived before a cut, and everything before a lost answer.
                switch fault {
                case .expiredToken, .unknown: #expect(counting.count >= 4)
                case .cut: #expect(counting.byteCount <= (2 << 20) + 5 + (1 << 20))
                case .lostAnswer: #expect(counting.count == 0)
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

    @Test("A post that meets an error before the system has all of its photos gives it the others later")
    func interrupted() async throws {
        try await withAnn { service, network in
            let gate = UploadGate(network)
            gate.open()
            let line = RefusingTransport(network) { request, number in
                // The third photo begins at the second attempt.
                request.url.path.hasSuffix("/photos") && number == 3 ? .interrupted : nil
            }
            let counting = PieceCounter(line)
            try await Device.run("ann", of: service, transport: counting, uploader: TransportUploader(gate)) { device in
                let submission = try await device.store.publish(try draft(in: device.folder, [1 << 20, 1, 1, 1]))
                try await device.store.sendAll()
                try await check(device, submission.id, 4)
                #expect(gate.count == 4 && counting.count == 0)
            }
        }
    }

    @Test("A draft that the service has lost begins again, with new uploads under the same names")
    func lostDraft() async throws {
        try await withAnn { service, network in
            let gate = UploadGate(network, fault: .unknown)
            gate.open()
            let line = RefusingTransport(network) { request, number in
                request.method == "HEAD" && number == 1 ? .status(410) : nil
            }
            try await Device.run("ann", of: service, transport: line, uploader: TransportUploader(gate)) { device in
                let submission = try await device.store.publish(try draft(in: device.folder, [1, 1]))
                try await device.store.sendAll()
                try await check(device, submission.id, 2)
                #expect(gate.count == 4)
            }
        }
    }

    @Test("A person who does not want to wait for the system gets the rest sent in pieces")
    func impatience() async throws {
        try await withAnn { service, network in
            let gate = UploadGate(network)
            let counting = PieceCounter(network)
            let uploader = TransportUploader(gate)
            try await Device.run("ann", of: service, transport: counting, uploader: uploader) { device in
                let submission = try await device.store.publish(try draft(in: device.folder, [1, 1]))
                try await device.online {
                    await gate.arrivals(2)
                    let refreshing = Task {
                        while !Task.isCancelled {
                            device.store.refresh()
                            try await Task.sleep(for: .milliseconds(20))
                        }
                    }
                    defer { refreshing.cancel() }
                    _ = try await first(submission.states, where: \.isFinal)
                    await gate.cancellations(2)
                }
                try await check(device, submission.id, 2)
                #expect(counting.count == 2)
            }
        }
    }

    @Test("A refused photo that is sent again gets a new upload")
    func retried() async throws {
        try await withAnn { service, network in
            let line = RefusingTransport(network) { request, number in
                request.method == "PATCH" && number == 1 ? .refusal(status: 413, code: "too_large") : nil
            }
            let gate = UploadGate(network, fault: .unknown)
            gate.open()
            try await Device.run("ann", of: service, transport: line, uploader: TransportUploader(gate)) { device in
                let submission = try await device.store.publish(try draft(in: device.folder, [1, 1]))
                try await device.online {
                    _ = try await first(submission.states) { if case .refused = $0 { true } else { false } }
                    try await device.store.retry(try #require(submission.id))
                    _ = try await first(submission.states, where: \.isFinal)
                }
                try await check(device, submission.id, 2)
            }
        }
    }

    @Test("A second run waits for the first; sending everything works beside it, and ends with its time")
    func runs() async throws {
        try await withAnn { service, network in
            let gate = UploadGate(network)
            let uploader = TransportUploader(gate)
            try await Device.run("ann", of: service, uploader: uploader) { device in
                let first = Task { try await device.store.run() }
                let submission = try await device.store.publish(try draft(in: device.folder, [1]))
                await gate.arrivals(1)
                let all = Task { try await device.store.sendAll() }
                all.cancel()
                await #expect(throws: CancellationError.self) { try await all.value }
                let other = Task { try await device.store.sendAll() }
                gate.open()
                try await other.value
                first.cancel()
                try await check(device, submission.id, 1)
                // The next one takes over.
                try await device.store.publish(PostDraft(text: "Later"))
                try await device.store.sendAll()
                #expect(try await device.client.posts().value.elements.map(\.text) == ["Later", "Views"])
            }
        }
    }
}
