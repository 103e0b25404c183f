import ArgumentParser

/// The commands that work on the files of photos.
struct PhotoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo",
        abstract: "Render thumbnails of files; remove the place where a photo was taken.",
        discussion: """
            EXAMPLES
              tintype photo render *.jpg --out thumbnails
              tintype photo scrub photo.jpg --check
              tintype photo scrub *.jpg --output scrubbed
              tintype photo scrub --user maria
            """,
        subcommands: [PhotoRenderCommand.self, PhotoScrubCommand.self])
}
