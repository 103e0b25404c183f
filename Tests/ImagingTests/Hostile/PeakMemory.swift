#if os(Linux)
    import Glibc

    /// The memory that a piece of work uses, as the kernel counts resident pages; for a process that does nothing else.
    enum PeakMemory {
        struct Unknown: Error {}

        /// Returns the largest growth of resident memory during the work, in bytes.
        static func increase(during work: () throws -> Void) throws -> Int {
            try mapWhatIsLarge()
            try reset()
            let before = try read("VmRSS")
            try work()
            return try read("VmHWM") - before
        }

        /// Makes the allocator map large blocks, and unmap them as soon as they are freed. Otherwise the result depends
        /// on what was freed before.
        ///
        /// The module map does not have this function (mallopt(3)); -3 is `M_MMAP_THRESHOLD`.
        private static func mapWhatIsLarge() throws {
            guard let symbol = dlsym(nil, "mallopt") else { throw Unknown() }
            let mallopt = unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
            guard mallopt(-3, 65_536) == 1 else { throw Unknown() }
        }

        /// Resets the high-water mark (proc(5), `/proc/pid/clear_refs`).
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
