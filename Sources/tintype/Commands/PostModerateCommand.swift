import API
import ArgumentParser
import HTTPTypes
import Model
import TreeModel

extension PostCommand {
    /// Sets the moderation of a post.
    struct Moderate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "moderate",
            abstract: "Show a post unchanged, blurred, or not at all.",
            usage: "tintype post moderate <id> (--pass | --blur | --refuse) [<options>]",
            discussion: """
                A blurred photo is blurred in all sizes and in its preview, and stays so when it is rendered again; the \
                originals are then only for the author and for admins. With --pass the post is shown unchanged again. With \
                --refuse the post is deleted, as with "tintype post rm".

                EXAMPLES
                  tintype post moderate -OaBcDeFgHiJkLmNoPqR --blur --reason "for adults"
                  tintype post moderate -OaBcDeFgHiJkLmNoPqR --blur --photo 0 --photo 2
                  tintype post moderate -OaBcDeFgHiJkLmNoPqR --pass
                """)

        @OptionGroup var storage: StorageOptions

        // An id begins with a dash, so the parser reads it as an unknown option.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The id, the first column of \"tintype post\".", valueName: "id"))
        var ids: [String]

        @Flag(help: "Show the post unchanged.")
        var pass = false

        @Flag(help: "Show the post's photos blurred.")
        var blur = false

        @Flag(help: "Delete the post.")
        var refuse = false

        @Option(help: ArgumentHelp("Blur only this photo, counted from 0; may be repeated.", valueName: "n"))
        var photo: [Int] = []

        @Option(help: ArgumentHelp("The reason, which is stored.", valueName: "text"))
        var reason: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            guard [pass, blur, refuse].filter(\.self).count == 1 else {
                throw ValidationError("give one of --pass, --blur and --refuse")
            }
            guard photo.isEmpty || blur else { throw ValidationError("--photo needs --blur") }
        }

        func run() async throws {
            let id = try PostID(onlyArgument: ids)
            let decision: ModerationDecision = pass || !photo.isEmpty ? .pass : blur ? .blur : .refuse
            let photos = Dictionary(photo.map { (String($0), ModerationDecision.blur) }) { first, _ in first }
            let verdict = ModerationVerdict(decision, reason: reason, photos: photos.isEmpty ? nil : photos)
            let result: ModerationDocument = try await APIClient(storage).read(
                .put, "/v1/posts/\(id)/moderation", json: verdict)
            let word = result.deleted ? "refused" : result.photos.contains(.blur) ? "blurred" : "passed"
            json ? Terminal.outputJSON(result) : Terminal.output("\(word)  \(id)")
        }
    }
}
