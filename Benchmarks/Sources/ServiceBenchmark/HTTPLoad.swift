import CEpoll
import Glibc

/// Requests over many connections at once, by one thread; each connection sends one after the other.
struct HTTPLoad {
    let perSecond: Double
    /// The times until the answers, in seconds, sorted.
    let latencies: [Double]

    /// - Parameter request: Returns the bytes of the request with a running number.
    init(connections count: Int, to socketPath: String, seconds: Double, _ request: (Int) -> [UInt8]) throws {
        var connections: [Int32: Connection] = [:]
        let poll = epoll_create1(0)
        defer {
            connections.values.forEach { $0.close() }
            Glibc.close(poll)
        }
        var number = 0
        for _ in 0..<count {
            let connection = try Connection(unix: socketPath)
            connections[connection.descriptor] = connection
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: connection.descriptor))
            epoll_ctl(poll, EPOLL_CTL_ADD, connection.descriptor, &event)
        }
        let begin = Clock.seconds
        for connection in connections.values {
            try connection.send(request(number))
            number += 1
        }
        var latencies: [Double] = []
        latencies.reserveCapacity(1 << 20)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while Clock.seconds - begin < seconds {
            let ready = epoll_ready(poll, &events, 256, 1000)
            for event in events.prefix(Int(max(ready, 0))) {
                guard let connection = connections[event.data.fd], try connection.receive() else { continue }
                latencies.append(Clock.seconds - connection.sentAt)
                try connection.send(request(number))
                number += 1
            }
        }
        perSecond = Double(latencies.count) / (Clock.seconds - begin)
        self.latencies = latencies.sorted()
    }

    /// Returns a percentile of the latencies, in milliseconds.
    func percentile(_ percent: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        return latencies[min(latencies.count - 1, Int(Double(latencies.count) * percent / 100))] * 1000
    }
}
