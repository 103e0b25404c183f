import Foundation

/// Measures the wire protocol, each figure beside that of REST and event streams in the same run.
struct WebSocketBenchmark {
    private static let watchers = 1000
    private static let spacedWrites = 200
    private static let clients = 64
    private static let unanswered = 32

    private let executable: String
    private let folder: String
    private let port: Int
    /// The number of sessions, and of event streams, that are open at once.
    private let sessions: Int
    private let seconds: Double

    /// - Parameters:
    ///   - folder: The folder of the services' folders; each measurement has its own.
    ///   - sessions: The requested number of sessions; fewer are opened if the limit of descriptors requires it.
    init(executable: String, folder: String, port: Int, sessions: Int, seconds: Double) {
        (self.executable, self.folder, self.port, self.seconds) = (executable, folder, port, seconds)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // The service keeps a quarter for itself.
        self.sessions = min(sessions, Int(limit.rlim_cur) / 4 * 3 - 64)
    }

    func run() throws {
        try onService("idle-streams") { service in
            try measureIdle("event streams", service) { number in try Stream(at: "/idle/s\(number)", service) }
        }
        try onService("idle-sessions") { service in
            try measureIdle("sessions", service) { number in
                let client = try WireClient(on: Connection(unix: service.socketPath))
                try client.listen(to: "/idle/s\(number)")
                return client
            }
        }
        try onService("watchers") { service in
            for _ in 0..<2 { try measureFanOut(service) }
        }
        try onService("writes") { service in try measureWrites(service) }
    }

    private func onService(_ name: String, _ measure: (Service) throws -> Void) throws {
        let apart = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: apart, withIntermediateDirectories: true)
        let service = try Service(executable: executable, folder: apart, port: port)
        defer { service.stop() }
        try measure(service)
        fflush(nil)
    }

    // MARK: Memory

    /// Measures the memory of the service for each of many silent listeners, each to its own small node.
    private func measureIdle(_ kind: String, _ service: Service, _ open: (Int) throws -> any Listening) throws {
        let nodes = (0..<sessions).map { #""s\#($0)":{"text":"A tintype took fifteen minutes.","number":\#($0)}"# }
        try exchange(
            HTTP.request("PUT", "/idle.json?print=silent", "{\(nodes.joined(separator: ","))}"), to: service.socketPath)
        // The first of a kind makes the service load code, which does not count for the others.
        try open(0).close()
        sleep(1)
        let before = service.residentBytes
        var listeners: [any Listening] = []
        defer { listeners.forEach { $0.close() } }
        let poll = try Poll()
        let begin = Clock.seconds
        for number in 0..<sessions {
            let listener = try open(number)
            poll.add(listener.descriptor)
            listeners.append(listener)
            if number % 1000 == 999 { try answer(listeners, on: poll, seconds: 0) }
        }
        let seconds = Clock.seconds - begin
        try answer(listeners, on: poll, seconds: 5)
        let each = Double(service.residentBytes - before) / Double(sessions)
        for listener in listeners { try listener.check() }
        print(
            """
              \(sessions) \(kind), opened in \(rounded(seconds, 1)) s and idle for 5 s: \(rounded(each / 1024, 1)) KiB of \
            resident memory each; all are open
            """)
    }

    /// Waits for a while; listeners answer pings meanwhile.
    private func answer(_ listeners: [any Listening], on poll: Poll, seconds: Double) throws {
        let byDescriptor = Dictionary(uniqueKeysWithValues: listeners.map { ($0.descriptor, $0) })
        let end = Clock.seconds + seconds
        repeat {
            for descriptor in poll.ready(within: seconds == 0 ? 0 : 0.1) { try byDescriptor[descriptor]?.notice() }
        } while Clock.seconds < end
    }

    // MARK: Fan-out

    /// Measures the time from a write until the last of a thousand listeners has received it.
    private func measureFanOut(_ service: Service) throws {
        let writer = try Connection(unix: service.socketPath)
        let client = try WireClient(on: Connection(unix: service.socketPath))
        defer {
            writer.close()
            client.close()
        }
        try client.exchange("p", #"{"p":"/watched","d":"begin"}"#)
        try fanOut("\(Self.watchers) event streams and a PUT", service) {
            try Stream(at: "/watched", service)
        } write: { text in
            try writer.send(HTTP.request("PUT", "/watched.json?print=silent", "\"\(text)\""))
            return { while try !writer.receive() {} }
        }
        try fanOut("\(Self.watchers) sessions and a p", service) {
            let client = try WireClient(on: Connection(unix: service.socketPath))
            try client.listen(to: "/watched")
            return client
        } write: { text in
            let request = client.request("p", #"{"p":"/watched","d":"\#(text)"}"#)
            try client.send([request])
            return { try client.awaitAnswer() }
        }
    }

    /// - Parameter write: Sends a write, and returns a function that waits for its answer.
    private func fanOut(
        _ kind: String, _ service: Service, _ open: () throws -> any Listening,
        write: (String) throws -> () throws -> Void
    ) throws {
        let poll = try Poll()
        var watchers: [any Listening] = []
        defer { watchers.forEach { $0.close() } }
        for _ in 0..<Self.watchers {
            let watcher = try open()
            poll.add(watcher.descriptor)
            watchers.append(watcher)
        }
        sleep(1)
        let cpuBefore = service.cpuSeconds
        var times: [Double] = []
        for round in 0..<Self.spacedWrites {
            usleep(25_000)
            let text = "round \(1000 + round)"
            let begin = Clock.seconds
            let finish = try write(text)
            times.append((try poll.waitForAll(Self.watchers, toBeTold: text) - begin) * 1000)
            try finish()
        }
        let cpu = (service.cpuSeconds - cpuBefore) / Double(Self.spacedWrites)
        times.sort()
        print(
            """
              \(kind), until the last received it: median \(ms(times[times.count / 2])), p99 \
            \(ms(times[times.count * 99 / 100])), \(ms(cpu * 1000)) of processor time each
            """)
    }

    // MARK: Writes

    /// Measures durable writes a second: the median of three rounds of each kind, in turn.
    private func measureWrites(_ service: Service) throws {
        struct Round {
            let perSecond: Double
            let latencies: [Double]
            let cpu: Double
        }
        let socket = service.socketPath
        var rounds: [[Round]] = [[], [], []]
        func measure(_ kind: Int, _ load: () throws -> (Double, [Double])) throws {
            let before = service.cpuSeconds
            let (perSecond, latencies) = try load()
            let cpu = (service.cpuSeconds - before) / Double(max(1, latencies.count))
            rounds[kind].append(Round(perSecond: perSecond, latencies: latencies, cpu: cpu))
        }
        for _ in 0..<3 {
            try measure(0) {
                let salt = UInt32.random(in: 0...UInt32.max)
                let load = try HTTPLoad(connections: Self.clients, to: socket, seconds: seconds / 2) { number in
                    let path = "/writes/s\(number % Self.clients)/k\(number / Self.clients % 100)"
                    return HTTP.request("PUT", "\(path).json?print=silent", "\"\(salt) \(number)\"")
                }
                return (load.perSecond, load.latencies)
            }
            for isListening in [false, true] {
                try measure(isListening ? 2 : 1) {
                    let load = try WireLoad(
                        sessions: Self.clients, unanswered: Self.unanswered, isListening: isListening, to: socket,
                        seconds: seconds / 2)
                    return (load.perSecond, load.latencies)
                }
            }
        }
        let names = [
            "PUT over \(Self.clients) connections",
            "p over \(Self.clients) sessions, \(Self.unanswered) unanswered each",
            "the same, each listens to its own writes",
        ]
        let middle = rounds.map { $0.sorted { $0.perSecond < $1.perSecond }[1] }
        for (name, round) in zip(names, middle) {
            let at = { (share: Double) in ms(round.latencies[Int(Double(round.latencies.count - 1) * share)] * 1000) }
            line(
                name, round.perSecond,
                """
                \(rounded(round.perSecond / middle[0].perSecond, 2)) of the first, p50 \(at(0.5)), p99 \(at(0.99)), \
                \(rounded(round.cpu * 1e6, 1)) µs of processor time each
                """)
        }
    }
}
