#if os(Linux)
    import Glibc

    /// The memory that something takes, as the kernel counts resident pages; for a process that does nothing else.
    enum PeakMemory {
        struct Unknown: Error {}

        /// The bytes by which resident memory grew at most, meanwhile.
        static func increase(during work: () throws -> Void) throws -> Int {
            try mapWhatIsLarge()
            try reset()
            let before = try read("VmRSS")
            try work()
            return try read("VmHWM") - before
        }

        /// What is large is mapped, and unmapped as soon as it is freed, which is else a matter of what was freed
        /// before.
        ///
        /// The module map does not have this function (mallopt(3)); -3 is `M_MMAP_THRESHOLD`.
        private static func mapWhatIsLarge() throws {
            guard let symbol = dlsym(nil, "mallopt") else { throw Unknown() }
            let mallopt = unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
            guard mallopt(-3, 65_536) == 1 else { throw Unknown() }
        }

        /// The high-water mark begins anew (proc(5), `/proc/pid/clear_refs`).
        private static func reset() throws {
            guard let file = fopen("/proc/self/clear_refs", "w") else { throw Unknown() }
            let written = fputs("5", file)
            guard fclose(file) == 0, written >= 0 else { throw Unknown() }
        }

        private static func read(_ field: String) throws -> Int {
            guard let file = fopen("/proc/self/status", "r") else { throw Unknown() }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, 256, file) != nil {
                let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    .split(whereSeparator: \.isWhitespace)
                if words.first == "\(field):", words.count > 1, let kibibytes = Int(words[1]) { return kibibytes << 10 }
            }
            throw Unknown()
        }
    }
#endif
