/** What a spec gets where it imports a module of src or of a package: that of the loader which all specs of a process share. */
module.exports = globalThis.takeLoader();
