import API

/// The names and forms that commands had before they were grouped.
enum RenamedCommands {
    /// The present names, by the old ones.
    private static let names = [
        "announce": "announcement add",
        "announcements": "announcement",
        "backup list": "backup ls",
        "check": "store check",
        "du": "quota ls",
        "explain": "post show",
        "export": "tree export",
        "flags": "flag",
        "gc": "store gc",
        "import": "tree import",
        "inbox drop": "inbox rm",
        "notifications": "notification ls",
        "originals list": "originals ls",
        "photos": "photo",
        "posts": "post",
        "reload": "config reload",
        "render": "photo render",
        "repair": "store repair",
        "restore": "backup restore",
        "rethumb list": "rethumb ls",
        "unclaimed": "store unclaimed",
        "unclaimed drop": "store unclaimed rm",
        "upgrade": "store upgrade",
        "verify": "store verify",
    ]

    /// Returns the error about the old name that the arguments begin with; nil when they begin with none.
    ///
    /// - Parameter program: The words before the name in the line that the error recommends.
    static func fault(in arguments: [String], program: String) -> String? {
        if arguments.first == "notifications", arguments.contains("--read-all") {
            return fault(
                "notifications --read-all", "notification read", arguments.dropFirst().filter { $0 != "--read-all" },
                program)
        }
        for count in [2, 1] {
            let old = arguments.prefix(count).joined(separator: " ")
            if let new = names[old] { return fault(old, new, arguments.dropFirst(count), program) }
        }
        return nil
    }

    /// Returns the error about arguments that had a meaning for a group before it had verbs; nil for others.
    static func faultOfForm(in arguments: [String], program: String) -> String? {
        guard arguments.first == "quota" else { return nil }
        let hasAmount = arguments.count > 2 && !arguments[2].hasPrefix("-")
        return fault(
            hasAmount ? "quota USER AMOUNT" : "quota USER", hasAmount ? "quota set" : "quota show",
            arguments.dropFirst(), program)
    }

    private static func fault(
        _ old: String, _ new: String, _ rest: some Sequence<String>, _ program: String
    ) -> String {
        let line = ([program, new] + rest.map(\.shellArgument)).joined(separator: " ")
        return "\"\(old)\" is called \"\(new)\" now. Run \"\(line)\".".printable
    }
}
