# Completions of the program's command lines, where bash, zsh and fish look for them. The program
# writes them itself when it is installed, so that a build does not have to run it.
set(completions_dir "${PROJECT_BINARY_DIR}/completions")
foreach(shell bash zsh fish)
  install(CODE "file(MAKE_DIRECTORY \"${completions_dir}\")
execute_process(
  COMMAND \"$<TARGET_FILE:cordon_program>\" completions ${shell}
  OUTPUT_FILE \"${completions_dir}/cordon.${shell}\" COMMAND_ERROR_IS_FATAL ANY)")
endforeach()
install(FILES "${completions_dir}/cordon.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        RENAME cordon)
install(FILES "${completions_dir}/cordon.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" RENAME _cordon)
install(FILES "${completions_dir}/cordon.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
