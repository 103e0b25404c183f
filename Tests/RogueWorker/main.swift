import Imaging
import Isolation

// A render worker in which a photo can do what it might do to a decoder that has a hole: after the first three bytes of a
// JPEG, it says what. Any other photo is rendered as it should be.
RenderWorker.run { bytes, recipes, limits throws(ImageError) in
    if let deed = Deed(asked: bytes) { try deed.perform() }
    let image = try Renderer(limits: limits).render(bytes, recipes: recipes)
    return image
}
