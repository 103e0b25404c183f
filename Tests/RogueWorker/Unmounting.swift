import Glibc
import Isolation

/// A file system that is unmounted while a worker lives.
enum Unmounting {
    /// Mounts a file system on a folder, starts a worker, unmounts the file system, and reports whether the kernel releases it:
    /// only then does it notify watchers.
    static func perform(on folder: String) throws -> Never {
        guard mount("none", folder, "tmpfs", 0, nil) == 0 else { end("not mounted: \(errno)") }
        let events = inotify_init()
        guard inotify_add_watch(events, folder, UInt32(IN_CREATE)) >= 0 else { end("not watched: \(errno)") }
        let renderer = try IsolatedRenderer(.this(arguments: []))
        try withExtendedLifetime(renderer) { () throws -> Void in
            guard umount(folder) == 0 else { end("not unmounted: \(errno)") }
            var watched = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, 60_000) == 1 else { end("in use") }
        }
        var event = inotify_event()
        guard read(events, &event, MemoryLayout<inotify_event>.size) > 0 else { end("no event: \(errno)") }
        end(event.mask & UInt32(IN_UNMOUNT) != 0 ? "free" : "event \(event.mask)")
    }

    private static func end(_ word: String) -> Never {
        print(word)
        exit(0)
    }
}
