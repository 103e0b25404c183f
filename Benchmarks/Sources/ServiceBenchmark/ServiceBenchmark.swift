import Foundation

/// Measures the whole service, over its sockets.
@main
enum ServiceBenchmark {
    private static let usage = """
        usage: ServiceBenchmark [--tintype PATH] [--folder FOLDER] [--seconds 5] [--posts 1000000] [--listeners 18900]
                                [--accounts 1000000] [--people 100000] [--sessions 18900] [--rounds 5]
                                [--photo ../Fixtures/photo.jpg]
                                [updates] [rules] [sync] [social] [feeds] [accounts] [pages] [opening] [listeners] [websocket] [large]
                                [memory] [resumable]
        """

    private static let kinds = [
        "updates", "rules", "sync", "social", "feeds", "accounts", "pages", "opening", "listeners", "websocket",
        "large",
        "memory", "resumable",
    ]

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("ServiceBenchmark: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        if arguments.count == 3, arguments[0] == "--write" {
            try BackgroundWrites.run(to: arguments[1], perSecond: Int(arguments[2]) ?? 1000)
        }
        var options = [
            "tintype": ".build/release/tintype", "folder": "/tmp", "seconds": "5", "posts": "1000000",
            "listeners": "18900", "accounts": "1000000", "people": "100000", "sessions": "18900", "rounds": "5",
            "photo": "../Fixtures/photo.jpg",
        ]
        var wanted: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument.hasPrefix("--"), options[String(argument.dropFirst(2))] != nil, let value = rest.popFirst() {
                options[String(argument.dropFirst(2))] = value
            } else if kinds.contains(argument) {
                wanted.append(argument)
            } else {
                throw Failure("\(argument) is unknown\n\(usage)")
            }
        }
        if wanted.isEmpty { wanted = kinds }
        try measure(wanted, options)
    }

    private static func measure(_ wanted: [String], _ options: [String: String]) throws {
        let seconds = Double(options["seconds"] ?? "") ?? 5
        let posts = Int(options["posts"] ?? "") ?? 1_000_000
        raiseDescriptorLimit()
        let folder = "\(options["folder"] ?? "/tmp")/service-benchmark-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let executable = options["tintype"] ?? ""
        let port = 20_000 + Int(getpid()) % 10_000
        try measureApart(wanted, options, executable: executable, folder: folder, port: port)
        guard !Set(wanted).isSubset(of: ["memory", "rules", "sync", "accounts", "websocket", "resumable"]) else {
            return
        }
        let service = try Service(executable: executable, folder: folder, port: port)
        defer { service.stop() }
        if wanted.contains("social") {
            print("\nderived data of posts, likes and follows")
            try SocialBenchmark(service, seconds: seconds).run()
        }
        if wanted.contains("feeds") {
            print("\nhome feeds, over HTTP on the Unix socket, by one client")
            let people = Int(options["people"] ?? "") ?? 100_000
            var benchmark = try HomeFeedBenchmark(service, people: people, posts: posts)
            try benchmark.run()
        }
        if wanted.contains("updates") {
            print("\ndurable updates of three leaves over HTTP on the Unix socket")
            try measureUpdates(service, seconds: seconds)
        }
        if wanted.contains("listeners") {
            print("\nevent streams")
            try measureListeners(service, count: Int(options["listeners"] ?? "") ?? 18_900)
        }
        if wanted.contains("large") {
            print("\nsmall requests beside large ones")
            try measureLargeRequests(service, seconds: seconds)
        }
        if wanted.contains("pages") || wanted.contains("opening") {
            print("\npages of posts over HTTP on the Unix socket")
            try measurePages(service, seconds: seconds, sizes: [1000, posts])
        }
        if wanted.contains("opening") {
            print("\nopening")
            try measureOpening(service, leaves: posts * 10)
        }
    }

    /// Runs the measurements that start their own services.
    private static func measureApart(
        _ wanted: [String], _ options: [String: String], executable: String, folder: String, port: Int
    ) throws {
        let seconds = Double(options["seconds"] ?? "") ?? 5
        if wanted.contains("memory") { try measureMemory(executable: executable, folder: folder, port: port) }
        if wanted.contains("rules") {
            print("\nwrites over HTTP on the Unix socket, 64 clients, with and without security rules")
            try measureRules(
                executable: executable, folder: makeFolder("rules", in: folder), port: port + 1, seconds: seconds)
        }
        if wanted.contains("sync") {
            print("\ndifferences for a device over HTTP on the Unix socket, 8 clients")
            try measureSync(
                executable: executable, folder: makeFolder("sync", in: folder), port: port + 5, seconds: seconds)
        }
        if wanted.contains("accounts") {
            let count = Int(options["accounts"] ?? "") ?? 1_000_000
            print("\naccounts over HTTP on the Unix socket, by one client")
            try measureAccounts(
                executable: executable, folder: makeFolder("accounts", in: folder), port: port + 2, count: count)
        }
        if wanted.contains("resumable") { try measureResumable(options, folder: folder, port: port + 4) }
        if wanted.contains("websocket") {
            print("\nthe wire protocol over WebSockets on the Unix socket, beside REST and event streams")
            let sessions = Int(options["sessions"] ?? "") ?? 18_900
            try WebSocketBenchmark(
                executable: executable, folder: folder, port: port + 3, sessions: sessions, seconds: seconds
            ).run()
        }
    }

    /// Raises the limit of descriptors for this process and the services that it starts, as far as they need or the
    /// system permits.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = limit.rlim_max
        limit = rlimit(rlim_cur: max(most, 26_000), rlim_max: max(most, 26_000))
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 { return }
        limit = rlimit(rlim_cur: most, rlim_max: most)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func makeFolder(_ name: String, in folder: String) throws -> String {
        let apart = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: apart, withIntermediateDirectories: true)
        return apart
    }
}
