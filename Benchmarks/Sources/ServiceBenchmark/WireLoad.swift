import CEpoll
import Glibc

/// Writes over many WebSocket sessions at once, by one thread; each session has several unanswered requests.
struct WireLoad {
    let perSecond: Double
    /// The times until the answers, in seconds, sorted.
    let latencies: [Double]

    /// A session that writes, and its unanswered requests.
    private final class Writer {
        let client: WireClient
        /// The node that it writes below.
        let path: String
        /// The times of the unanswered requests, by their numbers modulo the largest number of unanswered requests.
        var sentAt: [Double]
        var answered = 0
        var pushed = 0

        init(_ client: WireClient, path: String, unanswered: Int) {
            (self.client, self.path) = (client, path)
            sentAt = [Double](repeating: 0, count: unanswered)
        }
    }

    /// - Parameters:
    ///   - unanswered: The largest number of unanswered requests of a session.
    ///   - isListening: Whether each session listens to its own writes: it receives each write before its answer.
    init(sessions count: Int, unanswered: Int, isListening: Bool, to socketPath: String, seconds: Double) throws {
        var writers: [Int32: Writer] = [:]
        let poll = epoll_create1(0)
        defer {
            writers.values.forEach { $0.client.close() }
            Glibc.close(poll)
        }
        for number in 0..<count {
            let client = try WireClient(on: Connection(unix: socketPath))
            let path = "/writes/s\(number)"
            if isListening { try client.listen(to: path) }
            writers[client.descriptor] = Writer(client, path: path, unanswered: unanswered)
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: client.descriptor))
            epoll_ctl(poll, EPOLL_CTL_ADD, client.descriptor, &event)
        }
        // Writing an existing value would change nothing and notify no listener.
        let salt = UInt32.random(in: 0...UInt32.max)
        func write(_ count: Int, by writer: Writer) throws {
            let now = Clock.seconds
            try writer.client.send(
                (0..<count).map { _ in
                    let number = writer.client.lastNumber + 1
                    writer.sentAt[number % unanswered] = now
                    return writer.client.request(
                        "p", #"{"p":"\#(writer.path)/k\#(number % 100)","d":"\#(salt) \#(number)"}"#)
                })
        }
        let begin = Clock.seconds
        for writer in writers.values { try write(unanswered, by: writer) }
        var latencies: [Double] = []
        latencies.reserveCapacity(1 << 20)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while Clock.seconds - begin < seconds {
            let ready = epoll_ready(poll, &events, 256, 1000)
            for event in events.prefix(Int(max(ready, 0))) {
                guard let writer = writers[event.data.fd] else { continue }
                let before = writer.answered
                try writer.client.receive { message in
                    switch message {
                    case .answer(let number):
                        writer.answered += 1
                        latencies.append(Clock.seconds - writer.sentAt[number % unanswered])
                        guard !isListening || writer.pushed >= writer.answered else {
                            throw Failure("a write was answered before the session received it")
                        }
                    case .push: writer.pushed += 1
                    case .control: break
                    }
                }
                if writer.answered > before { try write(writer.answered - before, by: writer) }
            }
        }
        perSecond = Double(latencies.count) / (Clock.seconds - begin)
        self.latencies = latencies.sorted()
    }
}
