import ArgumentParser
import Model

extension RulesPreset: ExpressibleByArgument {}

extension RulesPreset {
    /// The meaning for those who see and write, in sentences for people.
    var meaning: [String] {
        switch self {
        case .public:
            [
                "Everybody who reaches the service sees posts, photos, profiles, comments and likes.",
                "Everybody with an account writes, also with an anonymous one, in their own name.",
                "Posts for an audience, such as a class, are for its members. Originals of photos are for their owners.",
            ]
        case .members:
            [
                "Members see posts, photos, profiles, comments and likes. Strangers and anonymous accounts see nothing.",
                "Members write in their own name. Everybody with an account that is not anonymous is a member: the setting sign-up decides who gets one.",
                "Posts for an audience, such as a class, are for its members. Originals of photos are for their owners.",
            ]
        case .classroom:
            [
                "Posts and photos for an audience, such as a class, are for its members. Strangers and anonymous accounts see nothing.",
                "A post without an audience is for its author and for admins: this includes older posts, and photos of the inbox.",
                "Members see the names of people whose ids they know, and no profiles. Nobody finds people by name.",
                "Owners and posters of an audience post for it. Posts for audiences have no comments and no likes.",
            ]
        }
    }

    /// The remainder that stays visible to those who have it, after rules have become narrower.
    static let remainder =
        "Signed addresses of photos stay valid for up to two hours, download tokens until they are removed, and copies in caches until these forget them."

    /// The database rules as a file that a person chose.
    var databaseFile: TextFile { TextFile(name: "the preset \(rawValue)", text: marked(database)) }

    /// The storage rules as a file that a person chose.
    var storageFile: TextFile { TextFile(name: "the preset \(rawValue)", text: marked(storage)) }
}

/// The rules that a command works on: those of a file, or those of a preset.
struct RulesChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The rules of a preset, in place of a file: members, public or classroom.", valueName: "name"))
    var preset: RulesPreset?

    func validate() throws {
        guard (file == nil) != (preset == nil) else { throw ValidationError("give a file, or --preset NAME") }
    }

    /// Returns the database rules as a text.
    ///
    /// - Throws: `FileError` and `Failure` for a file that cannot be read.
    func databaseFile() async throws -> TextFile {
        if let preset { return preset.databaseFile }
        return try await TextFile(path: file ?? "-")
    }
}
