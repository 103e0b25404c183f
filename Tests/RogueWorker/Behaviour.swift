import Glibc
import Imaging

/// The behaviours that an attack on a decoder could cause.
enum Behaviour: String, CaseIterable {
    // Ending.
    case segmentationFault, abort, trap, exit, kill
    /// Ends, unless this is the worker's first image.
    case tire
    // Hanging.
    case loop, sleep, allocate
    /// Computes on where nothing can interrupt it: now, or after an answer.
    case loopDeaf, spin
    /// Waits, under a name by which it can be found: `rogue:wait NAME`.
    case wait
    // Holding more than allowed.
    case threads, hoard
    // Reaching out.
    case open, stat, socket, connect, fork, thread, exec, executableMemory, ptrace, signal, writeFile, raiseLimit, time
    case sendKill, signalReturn, userNamespace
    // Lying.
    case noise, longNoise, emptyMessage, hangUp, answerTwice, descriptors
    // Identification.
    case name

    /// The behaviour that an image requests; nil for a real image.
    init?(asked bytes: Span<UInt8>) {
        let text = String(decoding: (3..<max(3, min(60, bytes.count))).map { bytes[$0] }, as: UTF8.self)
        guard text.hasPrefix("rogue:") else { return nil }
        let words = text.dropFirst(6).split(separator: " ")
        self.init(rawValue: String(words.first ?? ""))
        if self == .wait, let name = words.dropFirst().first { _ = Behaviour.call("prctl", 15, name: String(name)) }
    }

    func perform(isFresh: Bool) throws(ImageError) {
        switch self {
        case .loopDeaf:
            Behaviour.blockSignals()
            while true { clock() }
        case .spin:
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { _ in
                    Behaviour.blockSignals()
                    while true { clock() }
                }, nil)
            throw ImageError(.corrupt, "\(getpid())", hint: "")
        case .wait: sleepForEver()
        case .threads: throw ImageError(.corrupt, "\(startThreads()) threads", hint: "")
        case .hoard: Hoard.begin(with: refusal)
        case .segmentationFault: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .abort: Glibc.abort()
        case .trap: fatalError("as asked")
        case .exit: Glibc.exit(3)
        case .tire:
            guard isFresh else { Glibc.exit(4) }
            throw ImageError(.corrupt, "fresh", hint: "")
        case .kill: Glibc.kill(getpid(), SIGKILL)
        case .loop: while true { clock() }
        case .sleep: sleepForEver()
        case .allocate: try allocate()
        case .open, .stat, .socket, .connect, .fork, .exec, .executableMemory, .ptrace, .signal, .writeFile,
            .raiseLimit, .time, .sendKill, .signalReturn, .userNamespace:
            reachOut()
        case .thread: try startThread()
        case .noise: say([UInt8](repeating: 0xA5, count: 500))
        case .longNoise: say([UInt8](repeating: 0, count: 100_000))
        case .emptyMessage: say([])
        case .hangUp:
            close(3)
            sleepForEver()
        case .answerTwice: say(refusal)
        case .descriptors: say(refusal, with: 3)
        case .name: throw ImageError(.corrupt, "\(getpid())", hint: "")
        }
    }

    /// Sends a missing filter, or an unknown message, instead of being ready.
    static func shakeHands(_ word: String) -> Never {
        switch word {
        case "lacking": Behaviour.noise.say(number(1) + text("a filter"))
        case "babbling": Behaviour.noise.say(number(2))
        default: break
        }
        Glibc.exit(0)
    }

    private func sleepForEver() {
        var mutex = pthread_mutex_t()
        pthread_mutex_init(&mutex, nil)
        while true { pthread_mutex_lock(&mutex) }
    }

    /// Allocates until no memory is left, like a C library, and reports that.
    private func allocate() throws(ImageError) {
        // Kept, because the optimiser removes an unused allocation.
        var all: [UnsafeMutableRawPointer] = []
        while let memory = malloc(1 << 20) {
            memset(memory, 1, 1 << 20)
            all.append(memory)
        }
        for memory in all { free(memory) }
        throw ImageError(.outOfMemory, "no memory", hint: "")
    }

    private func startThread() throws(ImageError) {
        var thread = pthread_t()
        guard pthread_create(&thread, nil, { _ in nil }, nil) == 0, pthread_join(thread, nil) == 0 else {
            throw ImageError(.corrupt, "no thread", hint: "")
        }
        throw ImageError(.corrupt, "a thread", hint: "")
    }

    private static func blockSignals() {
        let all = [UInt64](repeating: .max, count: 16)
        all.withUnsafeBytes { _ = call("pthread_sigmask", 0, Int(bitPattern: $0.baseAddress)) }
    }

    /// Starts as many threads as possible, none of which ends.
    private func startThreads() -> Int {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, 16384)
        for count in 0..<3000 {
            var thread = pthread_t()
            let result = pthread_create(
                &thread, attributes,
                { _ in
                    var mutex = pthread_mutex_t()
                    pthread_mutex_init(&mutex, nil)
                    while true { pthread_mutex_lock(&mutex) }
                }, nil)
            guard result == 0 else { return count }
        }
        return 3000
    }

    private func reachOut() {
        switch self {
        case .open: _ = Glibc.fopen("/etc/passwd", "r")
        case .writeFile: _ = Glibc.creat("/tmp/rogue", 0o600)
        case .stat:
            var status = Glibc.stat()
            lstat("/etc/passwd", &status)
        case .socket: _ = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        case .connect:
            var address = sockaddr()
            Glibc.connect(3, &address, socklen_t(MemoryLayout<sockaddr>.size))
        case .fork: _ = Behaviour.call("fork")
        case .exec: execv("/bin/true", [nil])
        case .executableMemory: _ = mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        case .ptrace: _ = Behaviour.call("ptrace", 16, Int(getppid()))
        case .sendKill: _ = Behaviour.call("tgkill", Int(getpid()), Behaviour.call("gettid"), Int(SIGKILL))
        case .signalReturn:
            #if arch(x86_64)
                _ = Behaviour.call("syscall", 15)
            #else
                _ = Behaviour.call("syscall", 139)
            #endif
        case .userNamespace: _ = Behaviour.call("unshare", 0x1000_0000)
        case .signal: Glibc.kill(getppid(), SIGTERM)
        case .raiseLimit:
            var limit = rlimit(rlim_cur: 1 << 40, rlim_max: 1 << 40)
            setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
        case .time:
            var time = timespec()
            clock_settime(CLOCK_REALTIME, &time)
        default: break
        }
    }

    /// Calls a function that Swift does not import.
    @discardableResult
    private static func call(_ name: String, _ first: Int = 0, _ second: Int = 0, _ third: Int = 0) -> Int {
        typealias Function = @convention(c) (Int, Int, Int, Int) -> Int
        guard let symbol = dlsym(nil, name) else { return -1 }
        return unsafeBitCast(symbol, to: Function.self)(first, second, third, 0)
    }

    private static func call(_ function: String, _ first: Int, name: String) -> Int {
        name.withCString { call(function, first, Int(bitPattern: $0)) }
    }

    /// A valid answer to a renderer's first request: `corrupt`.
    private var refusal: [UInt8] {
        Behaviour.number(1) + Behaviour.number(1) + Behaviour.text("corrupt") + Behaviour.text("rogue")
            + Behaviour.text("rogue")
    }

    private static func number(_ value: UInt8) -> [UInt8] { [value, 0, 0, 0, 0, 0, 0, 0] }

    private static func text(_ text: String) -> [UInt8] { number(UInt8(text.utf8.count)) + Array(text.utf8) }

    private func say(_ bytes: [UInt8], with descriptor: Int32? = nil) {
        var bytes = bytes
        // struct cmsghdr: length, SOL_SOCKET, SCM_RIGHTS, and a descriptor.
        var control: [UInt64] = [20, 1 << 32 | 1, UInt64(descriptor ?? 0)]
        bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    if descriptor != nil {
                        message.msg_control = control.baseAddress
                        message.msg_controllen = control.count
                    }
                    sendmsg(3, &message, 0)
                }
            }
        }
    }
}
